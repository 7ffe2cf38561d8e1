/* A solver as a library, whose answer is chosen when it is compiled. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void hang(void)
{
	signal(SIGTERM, SIG_IGN);
	fork();
	for (;;)
		pause();
}

static void eat(void)
{
	for (;;) {
		char *more = malloc(1 << 20);
		if (!more) {
			fputs("(error \"out of memory\")\n", stdout);
			exit(101);
		}
		memset(more, 1, 1 << 20);
	}
}

int main(int argc, char **argv)
{
	(void)hang;
	(void)eat;
	ANSWER;
	return 0;
}

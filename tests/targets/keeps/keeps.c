// Keeps (d) and forgets (r) what it has counted between pieces of work, as its words tell.
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "keeps.h"

void __gcov_dump(void);
void __gcov_reset(void);

static int calls;

static void work(void) {
    if (calls++ > 1) return;
    calls++;
}

static void other_work(void) { calls += 2; }

int main(int count, char **words) {
    for (int word = 1; word < count; word++) {
        switch (words[word][0]) {
        case 'd': __gcov_dump(); break;
        case 'r': __gcov_reset(); break;
        case 'w': work(); break;
        case 'o': other_work(); break;
        case 'l': in_library(); break;
        case 'f': // the rest in a child
            if (fork() != 0) {
                wait(NULL);
                return 0;
            }
            break;
        case 'e': // the rest in another program, which is this one
            words[word] = words[0];
            execv(words[0], words + word);
            return 1;
        case 'x': // another program that is not there
            execl("/nowhere", "nowhere", NULL);
            break;
        }
    }
    return 0;
}

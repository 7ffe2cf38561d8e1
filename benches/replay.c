/* Statements in a bare loop: the time that SQLite itself takes for the checks of `metacov measure`.
 *
 * The file has records: a letter and the length of a text (32 bits), then the text, ended by zero.
 *   D  a new database     S  a setup statement             Q  a query of a check     O  switches (a number in the text)
 * Rows are fetched as a tester would: every value, in its own type. Queries have the same budget of operations. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "sqlite3.h"

#define OPERATIONS_MAX 200000
#define ROWS_MAX 100000

static int64_t left;
static int64_t bytes;

static int spend(void *unused) {
  (void)unused;
  left -= 100;
  return left < 0;
}

static void run(sqlite3 *db, const char *sql) {
  sqlite3_stmt *statement = 0;
  long rows = 0;
  left = OPERATIONS_MAX;
  sqlite3_progress_handler(db, 100, spend, 0);
  if (sqlite3_prepare_v2(db, sql, -1, &statement, 0) != SQLITE_OK) return;
  while (statement && sqlite3_step(statement) == SQLITE_ROW && ++rows < ROWS_MAX) {
    int columns = sqlite3_column_count(statement);
    for (int column = 0; column < columns; column++) {
      switch (sqlite3_column_type(statement, column)) {
        case SQLITE_INTEGER: bytes += sqlite3_column_int64(statement, column) & 1; break;
        case SQLITE_FLOAT: bytes += sqlite3_column_double(statement, column) > 0; break;
        case SQLITE_TEXT: sqlite3_column_text(statement, column); bytes += sqlite3_column_bytes(statement, column); break;
        case SQLITE_BLOB: sqlite3_column_blob(statement, column); bytes += sqlite3_column_bytes(statement, column); break;
      }
    }
  }
  sqlite3_finalize(statement);
}

int main(int count, char **words) {
  if (count != 2) return 2;
  FILE *file = fopen(words[1], "rb");
  if (!file) return 2;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *records = malloc(size);
  if (!records || fread(records, 1, size, file) != (size_t)size) return 2;
  sqlite3 *db = 0;
  long queries = 0;
  struct timespec start, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
  for (char *at = records; at < records + size;) {
    char kind = at[0];
    uint32_t length;
    memcpy(&length, at + 1, sizeof length);
    char *text = at + 5;
    at = text + length + 1;
    if (kind == 'D') {
      sqlite3_close(db);
      sqlite3_open(":memory:", &db);
    } else if (kind == 'O') {
      sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, db, (int)strtol(text, 0, 0));
    } else {
      run(db, text);
      queries += kind == 'Q';
    }
  }
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  printf("%ld %.6f %lld\n", queries, (end.tv_sec - start.tv_sec) + (end.tv_nsec - start.tv_nsec) / 1e9, (long long)bytes);
  return 0;
}

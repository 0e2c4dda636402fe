/* Leaks, by way of leak_detector.h. What is reported is read back from the error output. */
#include "leak_detector.h"

#include "gc_mark.h"

#include <stdio.h>
#include <unistd.h>

#define LEAKED 20

static FILE* report;

static void begin_report(void) {
  if (ftruncate(fileno(report), 0) != 0) perror("ftruncate");
  rewind(report);
}

/* Counts the lines that end as `end` says. */
static void end_report(const char* what, const char* end) {
  char line[200];
  int first = 1;
  int announced = 0;
  int count = 0;
  rewind(report);
  while (fgets(line, sizeof line, report) != NULL) {
    const size_t length = strlen(line);
    if (first && sscanf(line, "Found %d leaked objects:", &announced) == 1) {
      first = 0;
    } else if (length > strlen(end) && strcmp(line + length - strlen(end), end) == 0) {
      ++count;
    } else {
      printf("unexpected: %s", line);
    }
  }
  if (count != announced) printf("%d lines are announced, %d came\n", announced, count);
  printf("%s: %s\n", what, count == 0 ? "none" : count >= LEAKED / 2 && count <= LEAKED ? "most" : "others");
}

__attribute__((__noinline__)) static void overwrite_stack(void) {
  volatile char stack[30000];
  memset((void*)stack, 0, sizeof stack);
}

static void* reachable[LEAKED];

__attribute__((__noinline__)) static void make_strings(int frees) {
  for (int n = 0; n < LEAKED; ++n) {
    if (reachable[n] == NULL) reachable[n] = malloc(100);
#line 1000
    char* const copy = strdup("a magpie");
    if (frees) free(copy);
  }
}

static void GC_CALLBACK describe(void* object, char* text) {
  (void)object;
  strcpy(text, "a bird");
}

int main(void) {
  GC_set_find_leak(1);
  GC_INIT();
  printf("leaks are %s\n", GC_get_find_leak() ? "looked for" : "not looked for");
  report = tmpfile();
  if (report == NULL || dup2(fileno(report), 2) < 0) return 1;

  begin_report();
  make_strings(1);
  overwrite_stack();
  CHECK_LEAKS();
  end_report("freed", "\n");

  begin_report();
  make_strings(0);
  overwrite_stack();
  CHECK_LEAKS();
  end_report("leaked", "leaks.c:1000, sz= 9, PTRFREE)\n");

  GC_register_describe_type_fn(0, describe);
  begin_report();
  make_strings(0);
  overwrite_stack();
  CHECK_LEAKS();
  end_report("described", "leaks.c:1000, sz= 9, a bird)\n");
  void* link = GC_malloc_uncollectable(16);
  printf("links: %d\n", GC_general_register_disappearing_link(&link, link));
  fflush(stdout);
  return 0;
}

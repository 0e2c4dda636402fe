// A program that uses libgc, for `jackdaw run`: it does what its first argument says.
#define _GNU_SOURCE
#define GC_THREADS
#include <dlfcn.h>
#include <gc/gc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The file that the collector was loaded from.
static int print_collector(void) {
  Dl_info collector;
  if (dladdr(dlsym(RTLD_DEFAULT, "GC_malloc"), &collector) == 0) return 1;
  puts(collector.dli_fname);
  return 0;
}

static int print_words(char** words) {
  for (; *words != NULL; ++words) puts(*words);
  return 0;
}

static int collect(int times) {
  for (int i = 0; i < times; ++i) GC_gcollect();
  return 0;
}

// Asks the parent process to end.
_Noreturn static void end_parent(void) {
  kill(getppid(), SIGTERM);
  for (;;) pause();
}

int main(int argc, char** argv) {
  GC_INIT();
  if (GC_MALLOC(1) == NULL || argc < 2) return 100;
  const char* const what = argv[1];
  if (strcmp(what, "collector") == 0) return print_collector();
  if (strcmp(what, "print") == 0) return print_words(argv + 2);
  if (strcmp(what, "markers") == 0) return printf("%d\n", GC_get_parallel() + 1) < 0;
  if (strcmp(what, "variable") == 0) return puts(getenv(argv[2])) < 0;
  if (strcmp(what, "end-parent") == 0) end_parent();
  const int number = argc > 2 ? atoi(argv[2]) : 0;
  if (strcmp(what, "collect") == 0) return collect(number);
  if (strcmp(what, "raise") == 0) return raise(number);
  return strcmp(what, "exit") == 0 ? number : 100;
}

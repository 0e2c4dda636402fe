// A program to inspect: it makes a list of 1,000 objects and collects three times, says that it is ready, and
// then does what its argument says until it is ended.
#define _GNU_SOURCE
#include <gc.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct Node {
  struct Node* next;
  long number;
};

static struct Node* list;

static void make_list(long length) {
  for (long i = 0; i < length; ++i) {
    struct Node* const node = GC_MALLOC(sizeof *node);
    if (node == NULL) abort();
    node->next = list;
    node->number = i;
    list = node;
  }
}

// Collections come, and with them the thread that gives memory back, if there was much garbage.
__attribute__((noinline)) static void make_garbage(long objects) {
  for (long i = 0; i < objects; ++i) {
    if (GC_MALLOC(64) == NULL) abort();
  }
}

// They wait to be taken again when the heap is dumped.
static void free_objects(void) {
  enum { kObjects = 200 };
  static void* objects[kObjects];
  for (int i = 0; i < kObjects; ++i) objects[i] = GC_MALLOC_UNCOLLECTABLE(1000);
  for (int i = 0; i < kObjects; ++i) GC_FREE(objects[i]);
  memset(objects, 0, sizeof objects);
}

static void close_all_files(void) {
  const int last = (int)sysconf(_SC_OPEN_MAX);
  for (int file = 0; file < last && file < 4096; ++file) close(file);
}

// Installs a filter of system calls that lets all pass.
static int install_filter(void) {
  struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  const struct sock_fprog filter = {.len = 1, .filter = &allow};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

int main(int argc, char** argv) {
  GC_INIT();
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "rest-after-much") == 0) {
    make_list(2000000);
    list = NULL;
  }
  if (strcmp(what, "allocate-with-much") == 0) make_list(500000);
  make_list(1000);
  for (int i = 0; i < 3; ++i) GC_gcollect();
  if (strcmp(what, "allocate-and-free") == 0) free_objects();
  if (strcmp(what, "hide") == 0 && prctl(PR_SET_DUMPABLE, 0) != 0) return 1;
  if (strcmp(what, "filter") == 0 && !install_filter()) return 1;
  if (puts("ready") < 0 || fflush(stdout) != 0) return 1;
  if (strcmp(what, "close-all") == 0) close_all_files();
  while (strncmp(what, "allocate", 8) == 0 || strcmp(what, "close-all") == 0) {
    make_garbage(1000);
    usleep(1000);
  }
  do pause();
  while (strcmp(what, "wait") != 0);
  return 7;
}

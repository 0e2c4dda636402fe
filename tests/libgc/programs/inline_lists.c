/* The macros of gc_inline.h, which take objects from lists of the program's. */
#include "gc.h"
#include "gc_inline.h"

#include <stdio.h>

static void* normal_lists[GC_TINY_FREELISTS];
static void* data_lists[GC_TINY_FREELISTS];
static void* counting_lists[GC_TINY_FREELISTS];

struct pair {
  struct pair* first;
  struct pair* rest;
};

static size_t length(const struct pair* list) {
  size_t count = 0;
  for (; list != NULL; list = list->rest) ++count;
  return count;
}

static struct pair* conses(size_t count) {
  struct pair* list = NULL;
  for (size_t n = 0; n < count; ++n) {
    struct pair* pair;
    GC_CONS(pair, list, list, normal_lists);
    list = pair;
  }
  return list;
}

/* Objects of every number of words up to `most`, in turn, each filled and linked to the one before. */
static void** words(size_t count, size_t most) {
  void** list = NULL;
  for (size_t n = 0; n < count; ++n) {
    const size_t size = 2 + n % (most - 1);
    void** object;
    GC_MALLOC_WORDS(object, size, normal_lists);
    for (size_t word = 1; word < size; ++word) {
      if (object[word] != NULL) printf("word %zu of %zu is not clear\n", word, size);
      object[word] = (void*)size;
    }
    object[0] = list;
    list = object;
  }
  return list;
}

static int are_whole(void** list, size_t count, size_t most) {
  for (size_t n = count; n-- > 0; list = (void**)list[0]) {
    const size_t size = 2 + n % (most - 1);
    for (size_t word = 1; word < size; ++word) {
      if (list[word] != (void*)size) return 0;
    }
  }
  return list == NULL;
}

int main(void) {
  GC_set_all_interior_pointers(0); /* the macros add no byte at the end */
  GC_INIT();
  struct pair* volatile list = conses(100000);
  GC_gcollect();
  conses(100000);
  GC_gcollect();
  printf("list of %zu\n", length(list));

  void** volatile objects = words(50000, 40);
  words(50000, 40);
  GC_gcollect();
  words(50000, 40);
  printf("objects are %s\n", are_whole(objects, 50000, 40) ? "whole" : "broken");

  char* data;
  GC_MALLOC_ATOMIC_WORDS(data, 4, data_lists);
  printf("data of %s 32 bytes, kind %s\n", GC_size(data) >= 32 ? "at least" : "less than",
         GC_base(data) == data ? "of its own" : "shared");

  size_t calls = 0;
  for (int n = 0; n < GC_TINY_FREELISTS; ++n) counting_lists[n] = (void*)1;
  for (size_t n = 0; n < 100; ++n) {
    void* object;
    GC_FAST_MALLOC_GRANS(object, 2, counting_lists, 10, GC_I_NORMAL, GC_malloc(32), ++calls);
    if (object == NULL || GC_size(object) < 32) printf("object %zu is too small\n", n);
  }
  void* large;
  GC_FAST_MALLOC_GRANS(large, 100, counting_lists, 0, GC_I_NORMAL, GC_malloc(1600), (void)0);
  printf("large object of %s 1600 bytes\n", GC_size(large) >= 1600 ? "at least" : "less than");
  printf("initialised %s\n", calls > 0 && calls <= 100 ? "as many as came from the list" : "wrongly");
  return 0;
}

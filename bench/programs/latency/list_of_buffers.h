// A long linked list in a ring, whose elements point to buffers of one to seven KiB without pointers.
#ifndef JACKDAW_BENCH_PROGRAMS_LATENCY_LIST_OF_BUFFERS_H
#define JACKDAW_BENCH_PROGRAMS_LATENCY_LIST_OF_BUFFERS_H

#include "structure.h"

enum { kLeastWords = 128, kMostWords = 896, kMeanWords = (kLeastWords + kMostWords) / 2, kMostSteps = 8 };

struct Element {
  struct Element* next;
  uint64_t* buffer;
  uint32_t words;
  uint32_t position;  // in the list
  uint64_t check;     // of the buffer
};

struct List {
  struct Element* cursor;  // anywhere
  uint64_t length;
};

static uint64_t buffer_check(const struct Element* element) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < element->words; ++i) sum += element->buffer[i];
  return mixed(sum, element->words);
}

static struct Element* new_element(uint64_t position, uint64_t* random) {
  struct Element* element = new_object(sizeof *element);
  element->words = (uint32_t)(kLeastWords + next_random(random) % (kMostWords - kLeastWords + 1));
  element->position = (uint32_t)position;
  element->buffer = new_data(element->words * sizeof *element->buffer);
  const uint64_t first = next_random(random);
  for (uint32_t i = 0; i < element->words; ++i) element->buffer[i] = first + i * first;
  element->check = buffer_check(element);
  return element;
}

static void* build_list(uint64_t bytes, uint64_t* random) {
  struct List* list = new_object(sizeof *list);
  list->length = parts_of(bytes, sizeof(struct Element) + kMeanWords * sizeof(uint64_t));
  struct Element* first = new_element(0, random);
  list->cursor = first;
  for (uint64_t i = 1; i < list->length; ++i) {
    list->cursor->next = new_element(i, random);
    list->cursor = list->cursor->next;
  }
  list->cursor->next = first;
  return list;
}

// Returns the element after the cursor, and checks its place.
static struct Element* element_after_cursor(const struct List* list) {
  struct Element* next = list->cursor->next;
  verify("a list's element", next->position, (list->cursor->position + UINT64_C(1)) % list->length);
  return next;
}

static void move_cursor(struct List* list, uint64_t* random) {
  for (uint64_t steps = 1 + next_random(random) % kMostSteps; steps != 0; --steps)
    list->cursor = element_after_cursor(list);
}

static void read_list(void* structure, uint64_t* random) {
  struct List* list = structure;
  move_cursor(list, random);
  verify("a list's buffer", buffer_check(list->cursor), list->cursor->check);
}

static void replace_in_list(void* structure, uint64_t* random) {
  struct List* list = structure;
  move_cursor(list, random);
  struct Element* old = element_after_cursor(list);
  struct Element* element = new_element(old->position, random);
  element->next = old->next;
  list->cursor->next = element;
  give_back(old->buffer);
  give_back(old);
}

static const struct Structure list_of_buffers = {"list-of-buffers", build_list, read_list, replace_in_list};

#endif  // JACKDAW_BENCH_PROGRAMS_LATENCY_LIST_OF_BUFFERS_H

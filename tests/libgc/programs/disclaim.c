/* Finalizers in the objects themselves, and procedures that are asked of dead objects. */
#include "gc.h"
#include "gc_disclaim.h"
#include "gc_mark.h"
#include "watched.h"

struct node {
  struct node* next;
  GC_word value;
};

static size_t calls;
static size_t sound_calls;

static void GC_CALLBACK finalize(void* object, void* data) {
  struct node* const node = (struct node*)object;
  ++calls;
  sound_calls += data == &calls && node->value == 42 && (node->next == NULL || node->next->value == 42);
}

static const struct GC_finalizer_closure closure = {finalize, &calls};

static struct node* finalized_node(struct node* next) {
  struct node* const node = (struct node*)GC_finalized_malloc(sizeof(struct node), &closure);
  node->next = next;
  node->value = 42;
  GC_reachable_here(node);
  return node;
}

__attribute__((__noinline__)) static void drop_pairs(void) {
  for (size_t n = 0; n < MANY; ++n) finalized_node(finalized_node(NULL));
}

static const char* about(size_t count, size_t expected) {
  return count + expected / 20 >= expected && count <= expected ? "as many as expected" : "another number";
}

static int asked;
static int answer;

static int GC_CALLBACK ask(void* object) {
  const GC_word word = *(GC_word*)object;
  if ((word & 1) == 0) return 0; /* libgc asks of free objects, too */
  ++asked;
  return answer;
}

__attribute__((__noinline__)) static void drop_objects(int kind, struct watched* referents) {
  for (size_t n = 0; n < MANY; ++n) {
    GC_word* const object = (GC_word*)GC_generic_malloc(32, kind);
    void* const referent = GC_malloc_atomic(16);
    object[0] = 1;
    object[1] = (GC_word)referent;
    GC_reachable_here(object);
    if (referents != NULL) watch_object(referents, referent);
  }
}

/* libgc may ask in the allocations after a collection. */
static void make_it_ask(int kind) {
  collect_cleanly();
  for (size_t n = 0; n < 2 * MANY; ++n) GC_free(GC_generic_malloc(32, kind));
}

int main(void) {
  GC_INIT();
  GC_init_finalized_malloc();
  GC_init_finalized_malloc();
  struct node* volatile kept = finalized_node(NULL);
  drop_pairs();
  collect_cleanly();
  printf("outer nodes finalized: %s\n", about(calls, MANY));
  collect_cleanly();
  collect_cleanly();
  printf("all nodes finalized: %s, %s sound\n", about(calls, 2 * MANY),
         calls == sound_calls ? "all" : "not all");
  printf("kept node: %lu\n", kept->value);

  const int kind = (int)GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1);
  GC_register_disclaim_proc(kind, ask, 1);
  struct watched referents = watch();
  answer = 1;
  drop_objects(kind, &referents);
  make_it_ask(kind);
  printf("asked: %s\n", about((size_t)asked, MANY));
  print_kept("referents", &referents);
  answer = 0;
  asked = 0;
  make_it_ask(kind);
  printf("asked again: %s\n", about((size_t)asked, MANY));
  collect_cleanly();
  print_kept("referents", &referents);
  return 0;
}

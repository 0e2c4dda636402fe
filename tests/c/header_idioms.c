/*
 * The ways in which programs use the interface, macros above all. It compiles against libgc's headers as it
 * does against ours, and it runs: GC_THREADS, GC_DEBUG and the others may be defined or not.
 */
#define GC_I_HIDE_POINTERS
#define GC_MAX_RETRIES 2
#define GC_FREE_SPACE_DIVISOR 4
#define GC_MAXIMUM_HEAP_SIZE (GC_word)(1UL << 30)
#define GC_INITIAL_HEAP_SIZE (size_t)(1UL << 20)
#define GC_IGNORE_WARN
#define GC_DONT_EXPAND
#define GC_FULL_FREQ 10
#define GC_TIME_LIMIT GC_TIME_UNLIMITED
#define GC_MARKERS 2
#define GC_ALLOCD_BYTES_PER_FINALIZER 10000
#define GC_FORCE_UNMAP_ON_GCOLLECT

#include <stdio.h>

#include "gc.h"
#include "gc_inline.h"
#include "gc_mark.h"
#include "gc_typed.h"
#include "javaxfc.h"

#if GC_VERSION_MAJOR < 8
#error "libgc 8.2's interface"
#endif

struct node {
  struct node* next;
  GC_hidden_pointer hidden;
  char* text;
};

static void GC_CALLBACK finalize(void* object, void* data) {
  (void)object;
  ++*(int*)data;
}

static void GC_CALLBACK warn(char* format, GC_word argument) {
  (void)format;
  (void)argument;
}

static void* GC_CALLBACK out_of_memory(size_t bytes) {
  (void)bytes;
  return NULL;
}

static void* GC_CALLBACK reveal(void* data) { return GC_REVEAL_POINTER(*(GC_hidden_pointer*)data); }

static int GC_CALLBACK never_stop(void) { return 0; }

static void GC_CALLBACK note_event(GC_EventType event) {
  if (event == GC_EVENT_START || event == GC_EVENT_END) printf("%d\n", (int)event);
}

static GC_ToggleRefStatus GC_CALLBACK toggle(void* object) {
  return object != NULL ? GC_TOGGLE_REF_WEAK : GC_TOGGLE_REF_DROP;
}

/* A wrapper with the parameters of the debugging functions. */
extern void* wrapped(size_t bytes, GC_EXTRA_PARAMS);
void* wrapped(size_t bytes, GC_EXTRA_PARAMS) { return GC_debug_malloc(bytes, s, i); }

static struct GC_ms_entry* mark_node(GC_word* object, struct GC_ms_entry* top, struct GC_ms_entry* limit,
                                     GC_word environment) {
  struct node* const n = (struct node*)object;
  (void)environment;
  top = GC_MARK_AND_PUSH(n->next, top, limit, (void**)&n->next);
  return GC_MARK_AND_PUSH((void*)n->text, top, limit, (void**)&n->text);
}

static void kinds(void) {
  GC_word map[GC_BITMAP_SIZE(struct node)] = {0};
  GC_descr layout;
  unsigned proc;
  unsigned kind;
  size_t bytes = 0;
  void* object;

  GC_set_bit(map, GC_WORD_OFFSET(struct node, next));
  layout = GC_make_descriptor(map, GC_WORD_LEN(struct node));
  object = GC_MALLOC_EXPLICITLY_TYPED(sizeof(struct node), layout);
  object = GC_CALLOC_EXPLICITLY_TYPED(10, sizeof(struct node), layout);
  GC_PTR_STORE_AND_DIRTY(object, GC_MALLOC(8));
  printf("%d\n", (int)GC_get_bit(map, 0));

  proc = GC_new_proc(mark_node);
  kind = GC_new_kind(GC_new_free_list(), GC_MAKE_PROC(proc, 0), 0, 1);
  kind = GC_new_kind(GC_new_free_list(), GC_DS_LENGTH, 1, 1);
  object = GC_generic_malloc(sizeof(struct node), (int)kind);
  object = GC_GENERIC_OR_SPECIAL_MALLOC(sizeof(struct node), GC_get_kind_and_size(object, &bytes));
  GC_set_push_other_roots(GC_get_push_other_roots());
  GC_reachable_here(object);
}

static void lists(void) {
  static void* free_lists[GC_TINY_FREELISTS];
  void* object = GC_malloc_many(sizeof(struct node));
  while (object != NULL) object = GC_NEXT(object);

  GC_MALLOC_WORDS(object, 3, free_lists);
  GC_MALLOC_ATOMIC_WORDS(object, 5, free_lists);
  GC_CONS(object, object, NULL, free_lists);
  GC_FAST_MALLOC_GRANS(object, 2, free_lists, 0, GC_I_NORMAL, GC_malloc(2 * GC_GRANULE_BYTES), (void)0);
  GC_generic_malloc_many(GC_RAW_BYTES_FROM_INDEX(GC_WORDS_TO_WHOLE_GRANULES(3)), GC_I_NORMAL, &object);
}

static void pointers(void) {
  char* p = (char*)GC_MALLOC(16);
  char* q = GC_PTR_ADD(p, 4);
  GC_PRE_INCR(q, 4);
  GC_POST_INCR(q);
  GC_POST_DECR(q);
  GC_PTR_STORE((void**)(void*)p, q);
}

/* What later releases added. */
#ifdef JACKDAW_GC
static void later(void) {
  struct GC_calloc_typed_descr_s prepared;
  struct node* nodes = GC_NEW_ARRAY(struct node, 3);
  char* text = GC_NEW_ATOMIC_ARRAY(char, 10);
  int* numbers = GC_NEW_UNCOLLECTABLE_ARRAY(int, 10);
  GC_hidden_pointer link = GC_HIDE_POINTER(nodes);
  const void* base = GC_base_C((const char*)nodes + 1);

  GC_GENERAL_REGISTER_DISAPPEARING_LINK_SAFE((void**)&link, nodes + 1);
  GC_unregister_disappearing_link((void**)&link);
  GC_REGISTER_LONG_LINK_SAFE((void**)&link, nodes + 1);
  GC_unregister_long_link((void**)&link);
  GC_TOGGLEREF_ADD(GC_NEW(struct node), 0);
  nodes = (struct node*)GC_REALLOCF(nodes, 10 * sizeof(struct node));
  GC_FREEZERO(text, 4);
  GC_FREEZEROALL(numbers);
  GC_reachable_here(GC_REVEAL_NZ_POINTER(GC_HIDE_NZ_POINTER(nodes)));
  if (GC_HIDE_NZ_POINTER(NULL) != 0 || base == NULL) printf("hidden null\n");
  GC_reachable_here(GC_GENERIC_MALLOC(sizeof(struct node), GC_I_NORMAL));
  GC_reachable_here(
      GC_MALLOC_EXPLICITLY_TYPED_IGNORE_OFF_PAGE(GC_SIZEOF_IN_PTRS(struct node) * sizeof(void*), 0));
  if (GC_OFFSETOF_IN_PTRS(struct node, text) >= GC_GRANULE_PTRS * GC_PTRS_TO_WHOLE_GRANULES(3))
    printf("granules\n");
  if (GC_calloc_prepare_explicitly_typed(&prepared, sizeof prepared, 3, sizeof(struct node), 0) == 1)
    GC_reachable_here(GC_calloc_do_explicitly_typed(&prepared, sizeof prepared));
  GC_reachable_here(GC_call_with_reader_lock(reveal, &link, 0));
}
#endif

#ifdef GC_THREADS
static void* GC_CALLBACK nothing(void* data) { return data; }

static void* thread_main(void* data) {
  struct GC_stack_base base;
  if (GC_get_stack_base(&base) == GC_SUCCESS && GC_register_my_thread(&base) == GC_SUCCESS) {
    GC_do_blocking(nothing, data);
    GC_unregister_my_thread();
  }
  return data;
}

static void threads(void) {
  pthread_t thread;
  GC_allow_register_threads();
  if (pthread_create(&thread, NULL, thread_main, NULL) == 0) pthread_join(thread, NULL);
  GC_alloc_lock();
  GC_alloc_unlock();
}
#endif

int main(void) {
  struct node* list = NULL;
  struct GC_prof_stats_s statistics;
  GC_finalization_proc old;
  void* old_data;
  GC_word heap_size;
  int finalized = 0;
  int n;

  GC_set_all_interior_pointers(1);
  GC_set_java_finalization(1);
  GC_set_handle_fork(1);
  GC_INIT();
  GC_set_warn_proc(warn);
  GC_set_oom_fn(out_of_memory);
  GC_set_on_collection_event(note_event);
  GC_set_toggleref_func(toggle);
  GC_register_displacement(8);
  GC_add_roots(&list, &list + 1);

  for (n = 0; n < 100; ++n) {
    struct node* const fresh = GC_NEW(struct node);
    fresh->next = list;
    fresh->hidden = GC_HIDE_POINTER(list);
    fresh->text = GC_STRDUP("text");
    GC_END_STUBBORN_CHANGE(fresh);
    list = fresh;
  }
  GC_REGISTER_FINALIZER(list, finalize, &finalized, &old, &old_data);
  GC_REGISTER_FINALIZER_NO_ORDER(list, finalize, &finalized, 0, 0);
  GC_REGISTER_FINALIZER_IGNORE_SELF(list, 0, 0, 0, 0);
  GC_REGISTER_FINALIZER_UNREACHABLE(list, 0, 0, 0, 0);
  if (GC_GENERAL_REGISTER_DISAPPEARING_LINK((void**)&list->hidden, list->next) == GC_NO_MEMORY) return 1;
  if (GC_REGISTER_LONG_LINK((void**)&list->hidden, list->next) == GC_DUPLICATE) return 1;
  list->next = (struct node*)GC_call_with_alloc_lock(reveal, &list->hidden);
  list = (struct node*)REVEAL_POINTER(HIDE_POINTER(list));

  list->text = (char*)GC_REALLOC(list->text, 100);
  GC_FREE(list->text);
  list->text = (char*)GC_MALLOC_ATOMIC_IGNORE_OFF_PAGE(1000000);
  list->text = (char*)GC_MALLOC_IGNORE_OFF_PAGE(1000000);
  list->text = (char*)GC_MALLOC_UNCOLLECTABLE(10);
  list->text = (char*)GC_MALLOC_ATOMIC_UNCOLLECTABLE(10);
  list->text = (char*)GC_MALLOC_STUBBORN(10);
  list->text = GC_STRNDUP("text", 2);
  list->text = GC_NEW_ATOMIC(char);

  GC_disable();
  GC_enable();
  GC_gcollect();
  while (GC_collect_a_little())
    ;
  if (GC_try_to_collect(never_stop) && GC_should_invoke_finalizers()) GC_invoke_finalizers();
  GC_get_prof_stats(&statistics, sizeof statistics);
  GC_get_heap_usage_safe(&heap_size, NULL, NULL, NULL, NULL);
  printf("%lu bytes, %lu collections\n", (unsigned long)heap_size, (unsigned long)GC_get_gc_no());
  kinds();
  lists();
  pointers();
#ifdef JACKDAW_GC
  later();
#endif
#ifdef GC_THREADS
  threads();
#endif
  GC_finalize_all();
  return 0;
}

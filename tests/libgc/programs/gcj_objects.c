/* Objects whose type says what they refer to. */
#include "gc.h"
#include "gc_gcj.h"
#include "gc_mark.h"
#include "watched.h"

struct type {
  void* unused;
  GC_word descriptor;
};

struct object {
  struct type* type;
  void* first;
  void* second;
};

static struct type second_only = {NULL, ((GC_word)1 << 61) | GC_DS_BITMAP};
static struct type by_procedure = {NULL, GC_MAKE_PROC((GC_word)GC_GCJ_RESERVED_MARK_PROC_INDEX, (GC_word)7)};
static struct type nothing = {NULL, GC_DS_LENGTH};

static struct GC_ms_entry* mark_first(GC_word* address, struct GC_ms_entry* top, struct GC_ms_entry* limit,
                                      GC_word environment) {
  struct object* const object = (struct object*)(environment == 1 ? GC_USR_PTR_FROM_BASE(address) : address);
  if (environment != 1 && environment != 7) printf("environment %lu\n", environment);
  return GC_MARK_AND_PUSH(object->first, top, limit, &object->first);
}

static struct object* plain(struct type* type) {
  return (struct object*)GC_gcj_malloc(sizeof(struct object), type);
}
static struct object* large(struct type* type) {
  return (struct object*)GC_gcj_malloc_ignore_off_page(100000, type);
}
static struct object* with_checks(struct type* type) {
  return (struct object*)GC_debug_gcj_malloc(sizeof(struct object), type, "here", 1);
}

__attribute__((__noinline__)) static void fill(struct object** table, struct object* (*make)(struct type*),
                                               struct type* type, struct watched* first,
                                               struct watched* second) {
  for (size_t n = 0; n < MANY; ++n) {
    table[n] = make(type);
    if (table[n]->type != type || table[n]->first != NULL) printf("not as it was made\n");
    watch_object(first, table[n]->first = GC_malloc(16));
    watch_object(second, table[n]->second = GC_malloc(16));
  }
}

static void test(const char* name, struct object* (*make)(struct type*), struct type* type) {
  struct object** volatile table = (struct object**)GC_malloc_uncollectable(MANY * sizeof(struct object*));
  struct watched first = watch();
  struct watched second = watch();
  printf("%s\n", name);
  fill(table, make, type, &first, &second);
  collect_cleanly();
  print_kept("  first", &first);
  print_kept("  second", &second);
  GC_free(table);
}

int main(void) {
  GC_INIT();
  printf("kinds before: %d %d\n", GC_gcj_kind, GC_gcj_debug_kind);
  GC_init_gcj_malloc(GC_GCJ_RESERVED_MARK_PROC_INDEX, (void*)mark_first);
  test("bitmap", plain, &second_only);
  test("procedure", plain, &by_procedure);
  test("nothing", plain, &nothing);
  test("large, bitmap", large, &second_only);
  test("with checks", with_checks, &nothing);
  printf("kind: %s\n", GC_get_kind_and_size(plain(&nothing), NULL) == GC_gcj_kind ? "known" : "unknown");
  return 0;
}

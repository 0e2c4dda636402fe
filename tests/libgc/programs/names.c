/* Names that libgc exports and does not declare, and what they are at first. */
#define GC_ATTR_DEPRECATED
#include "gc.h"
#include "gc_inline.h"
#include "gc_mark.h"

#include <stdio.h>

extern void GC_printf(const char*, ...);
extern void GC_err_printf(const char*, ...);
extern void GC_log_printf(const char*, ...);
extern void GC_noop1(GC_word);
extern void** const GC_objfreelist_ptr;
extern void** const GC_aobjfreelist_ptr;
extern void** const GC_uobjfreelist_ptr;
extern void** const GC_auobjfreelist_ptr;
extern void GC_incr_bytes_allocd(size_t);
extern void GC_incr_bytes_freed(size_t);
extern GC_abort_func GC_on_abort;

static int in_data;

static void GC_CALLBACK be_told(const char* message) { (void)message; }

int main(void) {
  GC_INIT();
  GC_gcollect();
  GC_printf("%s %d\n", "printed", 1);
  GC_err_printf("%s", "");
  GC_log_printf("%s", "");
  GC_noop1(1);
  int on_stack = 0;
  GC_printf("temporary roots: %d %d\n", GC_is_tmp_root(&in_data), GC_is_tmp_root(&on_stack));
  GC_printf("lists: %d\n", GC_objfreelist_ptr[128] == NULL && GC_aobjfreelist_ptr[128] == NULL &&
                               GC_uobjfreelist_ptr[128] == NULL && GC_auobjfreelist_ptr[128] == NULL);
  GC_print_free_list(GC_I_NORMAL, 127);
  const size_t total = GC_get_total_bytes();
  const size_t freed = GC_get_expl_freed_bytes_since_gc();
  GC_incr_bytes_allocd(1000);
  GC_incr_bytes_freed(100);
  GC_printf("counted: %lu %lu\n", (unsigned long)(GC_get_total_bytes() - total),
            (unsigned long)(GC_get_expl_freed_bytes_since_gc() - freed));
  GC_set_abort_func(be_told);
  GC_printf("abort function: %d\n", GC_on_abort == be_told && GC_get_abort_func() == be_told);
  GC_printf("use entire heap: %d\n", GC_use_entire_heap);
  return 0;
}

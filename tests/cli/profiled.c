// A program whose functions allocate known amounts, of which a known part stays alive until its end.
#include <gc.h>

enum { kHot = 60000, kKept = kHot / 4, kCold = 50000 };

static void** table;
static void* volatile last;

// The variables keep the calls from being jumps, which leave no frame.
__attribute__((noinline)) static void* hot_place(void) {
  void* volatile object = GC_MALLOC(4000);
  return object;
}
__attribute__((noinline)) static void* cold_place(void) {
  void* volatile object = GC_MALLOC(60);
  return object;
}

int main(void) {
  GC_INIT();
  table = GC_MALLOC(kKept * sizeof(void*));
  for (int i = 0; i < kHot; ++i) {
    last = hot_place();
    if (i % 4 == 0) table[i / 4] = last;
  }
  for (int i = 0; i < kCold; ++i) last = cold_place();
  GC_gcollect();
  return 0;
}

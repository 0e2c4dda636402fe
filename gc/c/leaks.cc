#include "gc/c/leaks.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>

#include "gc/c/checked_objects.h"
#include "gc/c/environment.h"
#include "gc/c/interface.h"
#include "gc/c/kinds.h"
#include "gc/c/log.h"
#include "gc/c/start.h"
#include "gc/c/undeclared.h"
#include "heap/chunk.h"
#include "heap/heap.h"

namespace jackdaw::c_interface {

namespace {

// A collection notes at most this number of leaks; other dead objects are freed.
using Leaked = std::array<heap::Object*, 40>;

// The collector's lock guards these.
constinit Leaked leaked{};
constinit std::size_t leaked_count = 0;
constinit bool is_reporting = false;
// A hint for threads without the lock.
constinit std::atomic<bool> has_leaks{false};

constinit std::array<std::atomic<GC_describe_type_fn>, heap::KindTable::kMaximumKinds> describe_type{};

std::span<heap::Object* const> noted_leaks() { return {leaked.data(), leaked_count}; }

// Moves the noted leaks to `taken` on the caller's stack, which keeps them alive. Takes none while another
// thread, or an outer call of this one, reports.
std::size_t take_noted(Leaked& taken) {
  const std::lock_guard lock(collector().lock());
  if (is_reporting || leaked_count == 0) return 0;
  is_reporting = true;
  const std::size_t count = leaked_count;
  taken = leaked;
  leaked = {};
  leaked_count = 0;
  // Relaxed: a hint, here and in note_leaks.
  has_leaks.store(false, std::memory_order_relaxed);
  return count;
}

void end_report() {
  const std::lock_guard lock(collector().lock());
  is_reporting = false;
}

GC_describe_type_fn describe_function_of(int kind) {
  // Acquire: pairs with the release in GC_register_describe_type_fn.
  return describe_type[static_cast<std::size_t>(kind)].load(std::memory_order_acquire);
}

// The type of an object as the program describes it, or the name of its kind.
class TypeName {
 public:
  TypeName(int kind, void* object) {
    static constexpr std::array<const char*, 4> kNames = {"PTRFREE", "NORMAL", "UNCOLLECTABLE",
                                                          "ATOMIC_UNCOLLECTABLE"};
    if (const GC_describe_type_fn describe = describe_function_of(kind)) {
      describe(object, text_.data());
    } else if (static_cast<std::size_t>(kind) < kNames.size()) {
      std::strcpy(text_.data(), kNames[static_cast<std::size_t>(kind)]);
    } else {
      std::snprintf(text_.data(), text_.size(), "kind= %d", kind);
    }
    text_.back() = '\0';
  }
  [[nodiscard]] const char* text() const { return text_.data(); }

 private:
  std::array<char, GC_TYPE_DESCR_LEN + 1> text_{};
};

// The lines have libgc's format, for programs that read them.
void print(heap::Object* object) {
  const heap::KindNumber kind = heap::Chunk::of(object)->kind_of(object);
  void* const start = GC_USR_PTR_FROM_BASE(object);
  if (const CheckedHeader* const header = checked_header_of(start)) {
    const char* const file = header->place.file != nullptr ? header->place.file : "unknown";
    GC_err_printf("%p (%s:%d, sz= %lu, %s)\n", start, file, header->place.line,
                  static_cast<unsigned long>(header->bytes), TypeName(interface_number(kind), start).text());
  } else {
    const bool is_data = collector().heap().kinds()[kind].contents == heap::Contents::data;
    GC_err_printf("object at %p of appr. %lu bytes (%s)\n", static_cast<void*>(object),
                  static_cast<unsigned long>(heap::Heap::bytes_of(object)), is_data ? "atomic" : "composite");
  }
}

}  // namespace

void start_finding_leaks() {
  if (is_switched_on("GC_FIND_LEAK")) GC_find_leak = 1;
  if (GC_find_leak == 0) return;
  std::atexit([] {
    if (GC_find_leak != 0) GC_gcollect();
  });
}

// Leaks that wait for their report are not noted again.
void note_leaks() {
  if (GC_find_leak == 0) return;
  heap::Heap& heap = collector().heap();
  for (heap::Object* const object : noted_leaks()) heap::Chunk::of(object)->mark_exclusively(object);
  heap.for_each_object_of(may_die, [](heap::Object* object) {
    if (leaked_count == leaked.size() || !heap::Chunk::of(object)->mark_exclusively(object)) return;
    leaked[leaked_count++] = object;
  });
  has_leaks.store(leaked_count != 0, std::memory_order_relaxed);
}

void report_leaks() {
  if (!has_leaks.load(std::memory_order_relaxed)) return;
  Leaked taken{};
  const std::size_t count = take_noted(taken);
  if (count == 0) return;
  GC_err_printf("Found %u leaked objects:\n", static_cast<unsigned>(count));
  for (heap::Object* const object : std::span(taken).first(count)) {
    print(object);
    GC_free(object);
  }
  if (is_switched_on("GC_ABORT_ON_LEAK")) abort_program("there are leaked objects");
  end_report();
}

#pragma GCC visibility push(default)
extern "C" {

void GC_set_find_leak(int find) { GC_find_leak = find; }
int GC_get_find_leak() { return GC_find_leak; }

void GC_register_describe_type_fn(int kind, GC_describe_type_fn function) {
  if (kind < 0 || static_cast<std::size_t>(kind) >= describe_type.size())
    abort_program("GC_register_describe_type_fn: there is no such kind of objects");
  // Release: pairs with the acquire in describe_function_of.
  describe_type[static_cast<std::size_t>(kind)].store(function, std::memory_order_release);
}

}  // extern "C"
#pragma GCC visibility pop

}  // namespace jackdaw::c_interface

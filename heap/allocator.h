// Allocator: one thread's way to allocate objects, without a lock for small ones.
//
// For each size class, of objects with and without references, it holds a block of its own and a run of free
// slots in it, [cursor, end), cleared. An allocation moves the cursor. At the end of a run the next one is
// found in the block's allocation bits; at the end of the block the heap gives another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "heap/heap.h"
#include "heap/object.h"
#include "heap/size_classes.h"
#include "heap/type_descriptor.h"

namespace jackdaw::heap {

/// Used by one thread at a time. The heap must outlive it.
class Allocator {
 public:
  explicit Allocator(Heap& heap) : heap_(heap) { heap_.register_allocator(this); }
  ~Allocator() { heap_.unregister_allocator(this); }
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// A cleared object of `bytes` bytes, header included and at least a word, or null when there is no memory.
  /// O(1) but for the clearing and, now and then, the search for free slots.
  Object* allocate(const TypeDescriptor& type, std::size_t bytes) {
    Object* const object =
        allocate_plain(bytes, type.holds_references() ? Contents::references : Contents::data);
    if (object != nullptr) object->set_type(type);
    return object;
  }

  /// Cleared memory of `bytes` bytes, at least one, for an object without a descriptor; else as above.
  Object* allocate_plain(std::size_t bytes, Contents contents) {
    return bytes <= kLargestSmallBytes ? allocate_small(bytes, contents)
                                       : heap_.allocate_large(bytes, contents);
  }

  /// A cleared object of a type whose objects have one size.
  Object* allocate(const TypeDescriptor& type) { return allocate(type, type.object_bytes()); }

  /// The fast half of allocate_plain, for at most kLargestSmallBytes: null when the run at hand is used up. A
  /// collection that leaves owned blocks may come at any of its instructions. O(1).
  Object* allocate_from_run(std::size_t bytes, Contents contents) {
    const std::uint8_t size_class = SizeClasses::class_of(bytes);
    FreeRun& run = runs_[static_cast<std::size_t>(contents)][size_class];
    std::byte* const slot = run.cursor;
    if (slot == run.end) [[unlikely]]
      return nullptr;
    run.cursor = slot + SizeClasses::slot_bytes(size_class);
    return reinterpret_cast<Object*>(slot);
  }

  /// An array of `length` null references, or null when there is no memory.
  Object* allocate_array(const TypeDescriptor& type, std::uint64_t length);

 private:
  friend class Heap;
  struct FreeRun {
    std::byte* cursor = nullptr;
    std::byte* end = nullptr;
    SmallBlock block;
    std::uint32_t next_slot = 0;  // where the search for the next run goes on
  };

  Object* allocate_small(std::size_t bytes, Contents contents) {
    if (Object* const object = allocate_from_run(bytes, contents)) [[likely]]
      return object;
    return find_run(SizeClasses::class_of(bytes), contents) ? allocate_from_run(bytes, contents) : nullptr;
  }

  bool find_run(std::uint8_t size_class, Contents contents);
  static bool next_run_in_block(FreeRun& run);
  // Forgets all runs: their blocks are the heap's again. Under the heap's lock, or while nobody allocates.
  void give_up_blocks();
  // After allocation bits were made a copy of the marks: the slots of the runs at hand are in use, too.
  void keep_runs_allocated() const;

  Heap& heap_;
  std::array<std::array<FreeRun, SizeClasses::kCount>, kContentsKinds> runs_{};
};

}  // namespace jackdaw::heap

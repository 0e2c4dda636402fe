// HeapDump: writes a heap dump (docs/heap-dump.md) of a heap whose objects are marked.
//
// It runs in a child that was forked while the program was stopped: no other thread runs, but locks may be
// held. So it takes none, and calls no malloc.
#pragma once

#include <link.h>
#include <sys/types.h>

#include <cstdint>
#include <span>

#include "base/address_range.h"
#include "base/page_vector.h"
#include "gc/marking/layout_word.h"
#include "gc/marking/object_model.h"
#include "gc/report/dump/dump_format.h"
#include "gc/report/dump/dump_stream.h"
#include "heap/heap.h"
#include "heap/object.h"
#include "heap/word_scan.h"

namespace jackdaw::gc {

/// Writes one dump, record by record. Its functions are called in the order of their declarations, those for
/// roots repeatedly.
class HeapDump {
 public:
  /// `marked` is the heap's.
  HeapDump(DumpStream& stream, heap::Heap& heap, const MarkedHeap& marked)
      : out_(stream), heap_(heap), model_(marked) {}

  void write_program(std::uint64_t collection);
  void write_object_files();
  void write_kinds();
  /// Writes every marked object with its references. O(heap).
  void write_objects();
  /// Writes calls that allocated objects, the innermost first, by their places among addresses of code. They
  /// are numbered from 0 on.
  void write_calls(std::span<const std::uint32_t> places, std::span<const std::uintptr_t> addresses);
  /// Writes by which calls an object was allocated, if it is marked.
  void write_sample(const heap::Object* object, std::uint64_t calls);

  /// Begins a record of roots. `thread`: its number, or 0; `stack_end`: the end of its stack, or 0.
  void begin_roots(DumpRoots where, pid_t thread = 0, std::uintptr_t stack_end = 0);
  /// Adds words that may be addresses in objects. `all_count`: all interior pointers count.
  void add_words(heap::Words words, bool all_count);
  /// Adds a root: `place` holds `address`, which points into an object. The place of a persistent handle is
  /// the code that made it; 0: there is no place in the program's memory.
  void add_object(std::uintptr_t place, std::uintptr_t address);
  void end_roots() { out_.number(0); }
  /// Writes where the words of a stack look like return addresses.
  void write_return_addresses(pid_t thread, heap::Words stack);

  /// Whether all was written.
  bool write_end();

 private:
  struct Reference {
    heap::Object* object;
    std::uint64_t word;  // its number in the object, plus 1; or kDumpNoWord
    std::uint64_t offset;
  };
  // The sink for HeapObjectModel::visit.
  struct Sink {
    HeapDump& dump;
    void reference(heap::Object* object);
    void task(MarkTask task) { dump.add(dump.parts_, task); }
  };

  template <typename T>
  void add(base::PageVector<T>& list, const T& element) {
    failed_ = !list.append(element) || failed_;
  }
  static int note_object_file(dl_phdr_info* object, std::size_t, void* dump);
  void write_object_file(const dl_phdr_info& object);
  // A block of the dump: one of the heap, or all those of a span or of a large object.
  struct Block {
    std::uintptr_t start;
    std::uint64_t object_bytes;
    std::uint64_t objects;  // that it has room for
  };

  [[nodiscard]] static Block block_of(const heap::Object* object);
  void begin_block(const Block& block, heap::KindNumber kind);
  void write_object(heap::Object* object);
  void find_references(heap::Object* object);
  void find_word(const heap::Object* object, Reference& reference, std::uint64_t& next_word) const;
  // A type in the dump: a C++ type, or the place that allocated objects with checks.
  struct Type {
    std::uint64_t number;  // the descriptor's address, or one above all addresses
    const char* name;      // or file; null: unknown
    int line;              // 0: of a C++ type
  };

  [[nodiscard]] static bool has_types(const heap::Kind& kind);
  [[nodiscard]] static Type type_of(const heap::Object* object, const heap::Kind& kind);
  void write_type_of(const heap::Object* object);
  void note_type(const Type& type);
  void write_type(const Type& type);
  void write_types();
  [[nodiscard]] static heap::Object* live_object_at(const heap::BlockMap& map, std::uintptr_t address);
  [[nodiscard]] bool is_return_address(std::uintptr_t address) const;

  DumpStream& out_;
  heap::Heap& heap_;
  const HeapObjectModel model_;
  base::PageVector<base::AddressRange> code_;
  base::PageVector<Reference> references_;  // of the present object
  base::PageVector<MarkTask> parts_;        // of the present object, still to be visited
  base::PageVector<Type> types_;            // by number
  bool failed_ = false;                     // for lack of memory
  std::uintptr_t block_ = 0;                // the present one
  std::uintptr_t last_target_ = 0;
  std::uintptr_t last_place_ = 0;
  std::uintptr_t last_object_ = 0;
  std::uint64_t objects_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t reference_count_ = 0;
  std::uint64_t roots_ = 0;
};

}  // namespace jackdaw::gc

// The part of a ProcessCollector that writes heap dumps.
#include <mutex>
#include <string>
#include <utility>

#include "gc/dump/heap_dump.h"
#include "gc/dump/heap_dumps.h"
#include "gc/process/process_collector.h"
#include "gc/process/stack_pointer.h"

namespace jackdaw::gc {

bool ProcessCollector::dump_heap(std::string path) {
  this_thread();
  HeapDumps::load_compressor();
  pid_t child = -1;
  {
    const std::lock_guard lock(collecting_);
    const OwnStack own_stack{stack_pointer_below_registers()};
    if (is_disabled()) return false;
    end_cycle();
    dumps_.request_at(std::move(path));
    collect_locked(CollectionReason::request, own_stack);
    child = dumps_.take_child();
  }
  destructors_.run(*this);
  return HeapDumps::await(child);
}

// In the child. Whether all was written.
bool ProcessCollector::write_dump(DumpStream& stream, const OwnStack& own_stack) {
  HeapDump dump(stream, heap_, {heap_.map(), &weak_references_});
  dump_ = &dump;
  dump.write_program(collections() + 1);
  dump.write_object_files();
  dump.write_kinds();
  dump.write_objects();
  dump_roots(own_stack);
  return dump.write_end();
}

// As gather_roots, with the places.
void ProcessCollector::dump_roots(const OwnStack& own_stack) {
  HeapDump& dump = *dump_;
  dump.begin_roots(DumpRoots::pushed);
  if (hooks_.more_roots != nullptr) hooks_.more_roots();
  dump.end_roots();
  dump.begin_roots(DumpRoots::static_data);
  static_roots_.for_each([&](heap::Words words) { dump.add_words(words, false); });
  dump.end_roots();
  threads_.for_each_root(own_stack.pointer, own_stack.state, static_roots_.thread_local_modules(),
                         [&](ThreadRegistry::RootPlace place, heap::Words words) {
                           const bool is_stack = place.stack_end != 0;
                           dump.begin_roots(is_stack ? DumpRoots::stack : DumpRoots::thread_locals,
                                            place.thread, place.stack_end);
                           dump.add_words(words, true);
                           dump.end_roots();
                           if (is_stack) dump.write_return_addresses(place.thread, words);
                         });
  dump.begin_roots(DumpRoots::persistent);
  persistents_.for_each([&](const PersistentNodes::Node& node) {
    // Relaxed: see PersistentNodes::Node.
    dump.add_object(reinterpret_cast<std::uintptr_t>(node.maker), node.word.load(std::memory_order_relaxed));
  });
  dump.end_roots();
  dump.begin_roots(DumpRoots::finalization);
  destructors_.for_each_waiting(
      [&](heap::Object* object) { dump.add_object(0, reinterpret_cast<std::uintptr_t>(object)); });
  finalization_.for_each_root([&](std::uintptr_t address) { dump.add_object(0, address); });
  dump.end_roots();
}

}  // namespace jackdaw::gc

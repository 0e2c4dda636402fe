// The roots of a process's collector, with the places where they lie.
#pragma once

#include <atomic>
#include <cstdint>

#include "gc/process/process_collector.h"
#include "gc/report/dump/dump_format.h"

namespace jackdaw::gc {

// As gather_roots. The reader has the functions of HeapDump for them; write_return_addresses it need not
// have.
template <typename Reader>
void ProcessCollector::read_roots(Reader& reader, const OwnStack& own_stack) {
  reader.begin_roots(DumpRoots::pushed);
  if (hooks_.more_roots != nullptr) hooks_.more_roots();
  reader.end_roots();
  reader.begin_roots(DumpRoots::static_data);
  static_roots_.for_each([&](heap::Words words) { reader.add_words(words, false); });
  reader.end_roots();
  threads_.for_each_root(own_stack.pointer, own_stack.state, static_roots_.thread_local_modules(),
                         [&](ThreadRegistry::RootPlace place, heap::Words words) {
                           const bool is_stack = place.stack_end != 0;
                           reader.begin_roots(is_stack ? DumpRoots::stack : DumpRoots::thread_locals,
                                              place.thread, place.stack_end);
                           reader.add_words(words, true);
                           reader.end_roots();
                           if constexpr (requires { reader.write_return_addresses(place.thread, words); })
                             if (is_stack) reader.write_return_addresses(place.thread, words);
                         });
  reader.begin_roots(DumpRoots::persistent);
  persistents_.for_each([&](const PersistentNodes::Node& node) {
    // Relaxed: see PersistentNodes::Node.
    reader.add_object(reinterpret_cast<std::uintptr_t>(node.maker),
                      node.word.load(std::memory_order_relaxed));
  });
  reader.end_roots();
  reader.begin_roots(DumpRoots::finalization);
  destructors_.for_each_waiting(
      [&](heap::Object* object) { reader.add_object(0, reinterpret_cast<std::uintptr_t>(object)); });
  finalization_.for_each_root([&](std::uintptr_t address) { reader.add_object(0, address); });
  reader.end_roots();
}

}  // namespace jackdaw::gc

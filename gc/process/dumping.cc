// The part of a ProcessCollector that writes heap dumps.
#include <mutex>
#include <string>
#include <utility>

#include "gc/process/process_collector.h"
#include "gc/process/read_roots.h"
#include "gc/process/threads/stack_pointer.h"
#include "gc/report/dump/heap_dump.h"
#include "gc/report/dump/heap_dumps.h"

namespace jackdaw::gc {

bool ProcessCollector::dump_heap(std::string path) {
  this_thread();
  HeapDumps::load_compressor();
  DumpFile dump;
  {
    const std::lock_guard lock(collecting_);
    const OwnStack own_stack{stack_pointer_below_registers()};
    if (is_disabled()) return false;
    end_cycle();
    dumps_.request_at(std::move(path));
    collect_locked(CollectionReason::request, own_stack);
    dump = dumps_.take_requested();
  }
  destructors_.run(*this);
  return dump.await(dumps_.patience());
}

// In the child. Whether all was written.
bool ProcessCollector::write_dump(DumpStream& stream, const OwnStack& own_stack) {
  HeapDump dump(stream, heap_, {heap_.map(), &weak_references_});
  dump_ = &dump;
  dump.write_program(collections() + 1);
  dump.write_object_files();
  dump.write_kinds();
  dump.write_objects();
  read_roots(dump, own_stack);
  return dump.write_end();
}

}  // namespace jackdaw::gc

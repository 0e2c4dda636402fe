// DumpPreparation: the time in which a collection may leave a heap dump.
#pragma once

#include <cstdint>

#include "gc/process/threads/own_work.h"
#include "gc/report/dump/heap_dumps.h"

namespace jackdaw::gc {

/// Exists from before the program stands still until its threads run again: then HeapDumps may call malloc,
/// which may lead back to the collector.
class DumpPreparation {
 public:
  DumpPreparation(HeapDumps& dumps, std::uint64_t collection) : dumps_(dumps) {
    const OwnWork own_work;
    dumps_.prepare(collection);
  }
  ~DumpPreparation() {
    const OwnWork own_work;
    dumps_.release();
  }
  DumpPreparation(const DumpPreparation&) = delete;
  DumpPreparation& operator=(const DumpPreparation&) = delete;

 private:
  HeapDumps& dumps_;
};

}  // namespace jackdaw::gc

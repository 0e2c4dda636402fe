// make_engine_with: an engine with one of the queues, whose other parts are chosen at run time. Each queue
// has a file of its own in this folder, because engines take long to compile.
#pragma once

#include <memory>

#include "gc/marking/marking.h"

namespace jackdaw::bench {

template <typename Queue>
std::unique_ptr<gc::Marking> make_engine_with(const gc::MarkingOptions& options);

}  // namespace jackdaw::bench

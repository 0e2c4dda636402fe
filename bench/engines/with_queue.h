// make_engine_with: makes an engine with one of the queues and a victim policy that is chosen by name. Each
// queue has a file of its own in this folder, because engines take long to compile.
#pragma once

#include <memory>
#include <string_view>

#include "gc/marking/mark_engine.h"

namespace jackdaw::bench {

template <typename Queue>
std::unique_ptr<gc::MarkEngine> make_engine_with(const gc::MarkingOptions& options, std::string_view victim);

}  // namespace jackdaw::bench

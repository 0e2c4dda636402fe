#include "bench/queues/sequential_lifo.h"

#include "bench/engines/instantiate.h"

namespace jackdaw::bench {

template std::unique_ptr<gc::MarkEngine> make_engine_with<SequentialLifo<gc::MarkTask>>(
    const gc::MarkingOptions& options, std::string_view victim);

}  // namespace jackdaw::bench

#include "mark/queue/sequential_lifo.h"

#include "bench/engines/instantiate.h"

namespace jackdaw::bench {

template std::unique_ptr<gc::Marking> make_engine_with<mark::SequentialLifo<gc::MarkTask>>(
    const gc::MarkingOptions& options);

}  // namespace jackdaw::bench

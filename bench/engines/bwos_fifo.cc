#include "bench/queues/bwos_fifo.h"

#include "bench/engines/instantiate.h"

namespace jackdaw::bench {

template std::unique_ptr<gc::MarkEngine> make_engine_with<BwosFifo<gc::MarkTask>>(
    const gc::MarkingOptions& options, std::string_view victim);

}  // namespace jackdaw::bench

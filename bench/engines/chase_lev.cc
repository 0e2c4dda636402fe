#include "mark/queue/chase_lev.h"

#include "bench/engines/instantiate.h"

namespace jackdaw::bench {

template std::unique_ptr<gc::Marking> make_engine_with<mark::ChaseLevDeque<gc::MarkTask>>(
    const gc::MarkingOptions& options);

}  // namespace jackdaw::bench

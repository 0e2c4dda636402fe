#include "mark/queue/abp.h"

#include "bench/engines/instantiate.h"

namespace jackdaw::bench {

template std::unique_ptr<gc::Marking> make_engine_with<mark::AbpDeque<gc::MarkTask>>(
    const gc::MarkingOptions& options);

}  // namespace jackdaw::bench

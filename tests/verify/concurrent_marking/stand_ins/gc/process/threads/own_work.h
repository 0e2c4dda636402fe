// Stands in for gc/process/threads/own_work.h: nobody asks for memory.
#pragma once

namespace jackdaw::gc {

struct OwnWork {
  OwnWork() {}  // NOLINT(modernize-use-equals-default): an unused variable otherwise
};

}  // namespace jackdaw::gc

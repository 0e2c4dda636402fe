// Every termination detector by name, one line each; the first is the default.
#pragma once

#include <tuple>

#include "mark/choice.h"
#include "mark/termination/counter.h"
#include "mark/termination/owst.h"
#include "mark/termination/ring.h"

namespace jackdaw::mark {

using TerminatorChoices = std::tuple<  //
    Choice<"owst", OwstTerminator>, Choice<"counter", CounterTerminator>, Choice<"ring", RingTerminator>>;

}  // namespace jackdaw::mark

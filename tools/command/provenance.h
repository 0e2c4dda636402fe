// Provenance: what a result must tell so that it can be compared with others, and measured again.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace jackdaw::tools {

/// Returns `date` (UTC), `machine` (processor and how many of them can be used), `kernel`, `version`
/// (Jackdaw's) and `command` (the command line), all of them texts.
nlohmann::ordered_json provenance();

}  // namespace jackdaw::tools

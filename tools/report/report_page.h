// The report: one HTML file with all that it needs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace jackdaw::tools {

/// Throws InputError when this build has no page, because the charts' library was not there.
void require_report_page();

/// The page that shows the results (results.h). Throws as require_report_page().
std::string report_page(const nlohmann::json& results);

}  // namespace jackdaw::tools

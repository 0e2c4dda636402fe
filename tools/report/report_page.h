// The report: one self-contained HTML file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace jackdaw::tools {

/// Throws InputError when this build has no page, because the charts' library was missing.
void require_report_page();

/// Returns the page that shows the results (results.h). Throws what require_report_page() throws.
std::string report_page(const nlohmann::json& results);

}  // namespace jackdaw::tools

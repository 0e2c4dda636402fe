#include "tools/report/report_page.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/command/input_error.h"

#ifdef JACKDAW_REPORT_PAGE
// assemble_page.cmake makes the page's file.
asm(R"(
  .section .rodata, "a"
kReportPage:
  .incbin ")" JACKDAW_REPORT_PAGE R"("
kReportPageEnd:
  .byte 0
  .previous
)");
extern "C" const char kReportPage[];     // NOLINT(modernize-avoid-c-arrays)
extern "C" const char kReportPageEnd[];  // NOLINT(modernize-avoid-c-arrays)
#endif

namespace jackdaw::tools {

namespace {

std::string_view empty_page() {
#ifdef JACKDAW_REPORT_PAGE
  return {kReportPage, kReportPageEnd};
#else
  throw InputError(
      "report: this jackdaw was built without the charts' library; install libjs-vega and build it again");
#endif
}

// Returns JSON that is safe within a script element: nothing in it ends the element or is not ASCII. Names of
// files may be no UTF-8.
std::string inside_script(const nlohmann::json& data) {
  std::string text;
  for (const char letter : data.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
    if (letter == '<') {
      text += "\\u003c";
    } else {
      text += letter;
    }
  }
  return text;
}

}  // namespace

void require_report_page() { empty_page(); }

std::string report_page(const nlohmann::json& results) {
  constexpr std::string_view kPlace = "@DATA@";
  std::string page(empty_page());
  page.replace(page.find(kPlace), kPlace.size(),
               inside_script({{"generator", "jackdaw " JACKDAW_VERSION}, {"results", results}}));
  return page;
}

}  // namespace jackdaw::tools

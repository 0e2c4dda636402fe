#include "tools/heap/heap_command.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "tools/command/input_error.h"
#include "tools/command/output_file.h"
#include "tools/command/terminal.h"
#include "tools/heap/heap_report.h"
#include "tools/heap/heap_view.h"
#include "tools/heap/hprof_writer.h"
#include "tools/heap/v8_writer.h"
#include "tools/heap/why.h"

namespace jackdaw::tools {

HeapCommand::HeapCommand(CLI::App& app)
    : Command(app, "heap", "Tell what is in a heap, and why an object is alive") {
  command_->footer(
      "HEAP is dump:FILE, hprof:FILE, v8:FILE or any other graph of jackdaw mark.\n"
      "\nExamples:\n"
      "  jackdaw heap dump:heap.dump\n"
      "  jackdaw heap dump:heap.dump --why 0x7f3200001230\n"
      "  jackdaw heap hprof:heap.hprof.gz --why HashMap --most 3\n"
      "  jackdaw heap dump:heap.dump --to v8 heap.heapsnapshot\n"
      "\nExit status: 0; 2 when the input is bad.\n");
  command_->add_option("HEAP", heap_, "The heap, such as dump:FILE")->required();
  command_
      ->add_option("--why", why_,
                   "Print shortest ways from roots to the object at, or around, an address or with a "
                   "number, or to objects of types whose names contain this")
      ->type_name("ADDRESS|NUMBER|TYPE");
  command_->add_option("--most", most_, "Rows of each table, and ways to objects of a type")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str();
  command_->add_option("--json", json_path_, "Write the results to this file, too")->type_name("FILE");
  command_
      ->add_option(
          "--to", to_,
          "Write the heap as Chrome's memory panel (v8), or as Eclipse MAT and VisualVM (hprof) read "
          "it, and print nothing")
      ->type_name("FORMAT FILE")
      ->expected(2);
}

int HeapCommand::convert() const {
  if (!why_.empty() || !json_path_.empty())
    throw InputError(fmt::format("{}: with --to leave it out", why_.empty() ? "--json" : "--why"));
  // A Java heap dump holds all bytes of each object, so an object that does not fit in memory is not written.
  struct Format {
    void (*write)(const HeapView&, OutputFile&);
    unsigned heap_copies;
  };
  const std::map<std::string, Format> formats{{"v8", {write_v8_snapshot, 0}}, {"hprof", {write_hprof, 1}}};
  const auto format = formats.find(to_[0]);
  if (format == formats.end()) throw InputError(fmt::format("--to {}: must be v8 or hprof", to_[0]));
  OutputFile out("--to " + to_[0], to_[1]);
  const auto [write, heap_copies] = format->second;
  write(HeapView(heap_, {.headers = false, .as_in_file = true, .heap_copies = heap_copies}), out);
  out.commit();
  return 0;
}

int HeapCommand::run() {
  if (!to_.empty()) return convert();
  if (!why_.empty() && !json_path_.empty())
    throw InputError("--json: goes with the tables alone; with --why leave it out");
  std::optional<OutputFile> json;
  if (!json_path_.empty()) json.emplace("--json", json_path_);
  const HeapView view(heap_, {.headers = false, .as_in_file = true, .heap_copies = 0});
  const Terminal terminal = Terminal::of_output();
  if (!why_.empty()) {
    fmt::print("{}", terminal.fit(format_why(find_why(view, why_, most_))));
    return 0;
  }
  const HeapReport report = describe_heap(view, most_);
  if (json) json->commit(heap_to_json(report));
  fmt::print("{}", terminal.fit(format_heap(report)));
  return 0;
}

}  // namespace jackdaw::tools

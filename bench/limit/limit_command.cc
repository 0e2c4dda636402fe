#include "bench/limit/limit_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <optional>

#include "bench/limit/limit_report.h"
#include "tools/command/output_file.h"
#include "tools/command/seed_option.h"
#include "tools/command/threads_option.h"

namespace jackdaw::bench {

namespace {

constexpr std::uint64_t kMaximumMegabytes = 100'000'000;
constexpr std::uint32_t kMaximumPasses = 1000;

}  // namespace

LimitCommand::LimitCommand(CLI::App& app)
    : Command(app, "limit", "Measure how fast memory can be read: what no marking can beat") {
  command_->footer(
      "Example:\n"
      "  jackdaw limit --megabytes 200,2000 --threads 2\n"
      "\nExit status: 0; 2 when the input is bad.\n");
  command_->add_option("--megabytes", options_.megabytes, "Sizes of the memory to read, in 10^6 bytes")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::Range(std::uint64_t{1}, kMaximumMegabytes))
      ->capture_default_str();
  command_
      ->add_option(
          "--threads", threads_,
          "The most threads, or auto for one a usable processor; every power of two below is measured, too")
      ->capture_default_str();
  command_->add_option("--repeat", options_.repeat, "Passes over each memory")
      ->check(CLI::Range(std::uint32_t{1}, kMaximumPasses))
      ->capture_default_str();
  tools::add_seed_option(*command_, options_.seed, "Seed of the random lines");
  command_->add_option("--json", json_path_, "Write the results to this file, too")->type_name("FILE");
}

int LimitCommand::run() {
  options_.threads = tools::parse_threads(threads_);
  std::optional<tools::OutputFile> json;
  if (!json_path_.empty()) json.emplace("--json", json_path_);
  const std::vector<LimitResult> results = measure_limit(options_);
  if (json) json->commit(limit_to_json(options_, results));
  fmt::print("{}", format_limit(options_, results));
  return 0;
}

}  // namespace jackdaw::bench

#include "tools/profile/profile_command.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "tools/command/input_error.h"
#include "tools/command/output_file.h"
#include "tools/command/printable_name.h"
#include "tools/command/terminal.h"
#include "tools/inspect/profile_of.h"
#include "tools/profile/named_profile.h"
#include "tools/profile/profile_file.h"
#include "tools/profile/profile_report.h"

namespace jackdaw::tools {

ProfileCommand::ProfileCommand(CLI::App& app)
    : Command(app, "profile", "Tell where a program allocated, and what of it is alive") {
  command_->footer(
      "Examples:\n"
      "  JACKDAW_PROFILE=program.pb jackdaw run program; jackdaw profile program.pb\n"
      "  jackdaw profile program.pb --live --most 5\n"
      "  jackdaw profile --pid 4321 --for 10s program.pb  # of a running program; see jackdaw ps\n"
      "  jackdaw profile program.pb --named named.pb.gz   # then load that into speedscope\n"
      "\nExit status: 0; 2 when the input is bad.\n");
  command_
      ->add_option("FILE", path_,
                   "The profile, as JACKDAW_PROFILE has it written; with --pid, where to put it")
      ->required();
  CLI::Option* const process =
      command_->add_option("--pid", process_, "Take the profile now, of this running program of this user's")
          ->type_name("PID")
          ->check(CLI::Range(1, 1 << 22));
  command_->add_option("--for", seconds_, "How long to take it, in seconds, or with s, m or h")
      ->type_name("TIME")
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}))
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->needs(process);
  command_->add_option("--every", every_, "Bytes allocated between two samples, on average, or with k or m")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
      ->capture_default_str()
      ->needs(process);
  command_->add_option("--timeout", patience_, "Seconds to wait for the program, which must allocate")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str()
      ->needs(process);
  command_->add_flag("--live", by_live_, "Sort by live bytes instead of allocated ones");
  command_->add_option("--most", most_, "Rows of the table")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str();
  command_->add_option("--named", named_path_, "Write the profile with names, gzipped, for other readers")
      ->type_name("FILE");
  command_->add_option("--json", json_path_, "Write the results to this file, too")->type_name("FILE");
}

void ProfileCommand::take_profile() const {
  // It is read again for the report.
  const std::filesystem::file_status there = std::filesystem::status(path_);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
    throw InputError(fmt::format("FILE '{}' must be a regular file or a new one", printable(path_)));
  OutputFile file("FILE", path_);
  using Seconds = std::chrono::duration<double>;
  file.commit(
      profile_of(process_, {.time = Seconds(seconds_), .every = every_, .patience = Seconds(patience_)}));
}

int ProfileCommand::run() {
  std::optional<OutputFile> json;
  std::optional<OutputFile> named;
  if (!json_path_.empty()) json.emplace("--json", json_path_);
  if (!named_path_.empty()) named.emplace("--named", named_path_);
  if (process_ != 0) take_profile();
  const ProfileFile profile = read_profile(path_);
  const auto sites = allocation_sites(profile, by_live_ ? SiteOrder::live : SiteOrder::allocated);
  if (named) named->commit(named_profile(profile));
  if (json) json->commit(profile_to_json(profile, sites));
  fmt::print("{}", Terminal::of_output().fit(format_profile(profile, sites, most_)));
  return 0;
}

}  // namespace jackdaw::tools

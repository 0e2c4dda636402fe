#include "tools/profile/profile_command.h"

#include <fmt/format.h>

#include <optional>

#include "tools/command/output_file.h"
#include "tools/command/terminal.h"
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
      "  jackdaw profile program.pb --named named.pb.gz   # then load that into speedscope\n"
      "\nExit status: 0; 2 when the input is bad.\n");
  command_->add_option("FILE", path_, "The profile, as JACKDAW_PROFILE has it written")->required();
  command_->add_flag("--live", by_live_, "Sort by live bytes instead of allocated ones");
  command_->add_option("--most", most_, "Rows of the table")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
      ->capture_default_str();
  command_->add_option("--named", named_path_, "Write the profile with names, gzipped, for other readers")
      ->type_name("FILE");
  command_->add_option("--json", json_path_, "Write the results to this file, too")->type_name("FILE");
}

int ProfileCommand::run() {
  std::optional<OutputFile> json;
  std::optional<OutputFile> named;
  if (!json_path_.empty()) json.emplace("--json", json_path_);
  if (!named_path_.empty()) named.emplace("--named", named_path_);
  const ProfileFile profile = read_profile(path_);
  const auto sites = allocation_sites(profile, by_live_ ? SiteOrder::live : SiteOrder::allocated);
  if (named) named->commit(named_profile(profile));
  if (json) json->commit(profile_to_json(profile, sites));
  fmt::print("{}", Terminal::of_output().fit(format_profile(profile, sites, most_)));
  return 0;
}

}  // namespace jackdaw::tools

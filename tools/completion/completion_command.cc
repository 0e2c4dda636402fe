#include "tools/completion/completion_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace jackdaw::tools {

namespace {

// Returns what an option can be, separated by spaces, if the library tells it as "TEXT:{abp,locked}" or
// "{early->0,full->1}"; otherwise nothing.
std::string choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  if (end == std::string::npos) return "";
  std::string choices;
  for (std::string& choice : CLI::detail::split(type.substr(begin + 1, end - begin - 1), ','))
    choices += (choices.empty() ? "" : " ") + choice.substr(0, choice.find("->"));
  return choices;
}

// Writes a case of the script for each option that takes a value, by "COMMAND --OPTION": its choices, or
// files.
std::string cases_of_values(const CLI::App& command, const std::string& path) {
  std::string cases;
  for (const CLI::Option* const option : command.get_options()) {
    if (option->get_items_expected_max() == 0) continue;
    for (const std::string& name : option->get_lnames())
      cases += fmt::format("    '{} --{}') words='{}' ;;\n", path, name, choices_of(*option));
    for (const std::string& name : option->get_snames())
      cases += fmt::format("    '{} -{}') words='{}' ;;\n", path, name, choices_of(*option));
  }
  return cases;
}

std::string words_of(const CLI::App& command) {
  std::string words;
  for (const CLI::App* const subcommand : command.get_subcommands(nullptr))
    words += subcommand->get_name() + " ";
  for (const CLI::Option* const option : command.get_options())
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
  if (!words.empty()) words.pop_back();
  return words;
}

struct Cases {
  std::string commands;  ///< by "COMMAND WORD": the word is a command of that one
  std::string words;     ///< by COMMAND: its commands and options
  std::string values;    ///< by "COMMAND --OPTION"
};

void add_cases(const CLI::App& command, const std::string& path, Cases& cases) {
  if (command.get_parent() != nullptr)
    cases.commands += fmt::format("      '{}') command='{}' ;;\n", path, path);
  cases.words += fmt::format("    '{}') words='{}' ;;\n", path, words_of(command));
  cases.values += cases_of_values(command, path);
  for (const CLI::App* const subcommand : command.get_subcommands(nullptr))
    add_cases(*subcommand, path + " " + subcommand->get_name(), cases);
}

}  // namespace

CompletionCommand::CompletionCommand(CLI::App& app)
    : Command(app, "completion", "Print how bash completes this command's lines"), app_(app) {
  command_->footer(
      "Example, for this shell:\n  . <(jackdaw completion)\n\nExit status: 0; 2 when the input is bad.\n");
}

// Bash completes names of files where it finds none of the words, or where there are none.
int CompletionCommand::run() {
  Cases cases;
  add_cases(app_, "jackdaw", cases);
  fmt::print(
      "# How bash completes the lines of the jackdaw command: written by `jackdaw completion`.\n"
      "_jackdaw() {{\n"
      "  local command=jackdaw word words=\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    case \"$command $word\" in\n{}"
      "    esac\n"
      "  done\n"
      "  case $command in\n{}"
      "  esac\n"
      "  case \"$command ${{COMP_WORDS[COMP_CWORD-1]}}\" in\n{}"
      "  esac\n"
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${{COMP_WORDS[COMP_CWORD]}}\")\n"
      "}}\n"
      "complete -o default -F _jackdaw jackdaw\n",
      cases.commands, cases.words, cases.values);
  return 0;
}

}  // namespace jackdaw::tools

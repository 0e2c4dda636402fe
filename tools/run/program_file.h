// ProgramFile: the properties of a program that decide whether another libgc can replace its own.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace jackdaw::tools {

/// A program that can be started.
struct ProgramFile {
  std::string path;    ///< the file that is started
  std::string binary;  ///< the ELF file that is loaded: `path`, or a script's interpreter

  [[nodiscard]] bool is_script() const { return binary != path; }
};

/// Finds a program as a shell does, by its path or in PATH, and follows #!, through env as well. A text
/// without #! is a script of /bin/sh. Throws InputError when there is no such program, or it cannot be
/// executed.
ProgramFile find_program(const std::string& name);

/// Whether the kernel starts the file with more rights than ours: the loader then ignores LD_LIBRARY_PATH.
bool gains_rights(const std::string& path);

/// A shared library that the loader loads when a program starts.
struct LoadedLibrary {
  std::string name;  ///< the name that is requested, such as libgc.so.1
  std::string path;
};

/// Returns the libraries that the loader lists for an ELF file in our environment, without itself; none for a
/// static program. Nothing when the loader fails, as it does where a library is missing.
std::optional<std::vector<LoadedLibrary>> loaded_libraries(const std::string& binary);

/// Whether the file contains the text.
bool has_text(const std::string& path, const std::string& text);

}  // namespace jackdaw::tools

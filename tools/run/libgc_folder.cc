#include "tools/run/libgc_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "tools/command/input_error.h"

namespace jackdaw::tools {

namespace fs = std::filesystem;

std::string libgc_folder() {
  std::error_code error;
  const char* const given = std::getenv("JACKDAW_LIBGC_FOLDER");
  const fs::path command = fs::read_symlink("/proc/self/exe", error).parent_path();
  const fs::path folder = given != nullptr                         ? fs::absolute(given, error)
                          : fs::exists(command / "package", error) ? command / "package" / "jackdaw"
                                                                   : command / JACKDAW_LIBGC_FROM_BIN;
  if (fs::exists(folder / "libgc.so.1", error)) return fs::canonical(folder, error).string();
  throw InputError(fmt::format("there is no libgc.so.1 of Jackdaw's in {}{}", folder.string(),
                               given != nullptr ? ", which JACKDAW_LIBGC_FOLDER names"
                                                : "; JACKDAW_LIBGC_FOLDER can name its folder"));
}

}  // namespace jackdaw::tools

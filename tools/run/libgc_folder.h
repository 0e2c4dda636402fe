// Where the libraries lie that take libgc's place.
#pragma once

#include <string>

namespace jackdaw::tools {

/// The folder with Jackdaw's libgc.so.1, an absolute path: the one that JACKDAW_LIBGC_FOLDER names in the
/// environment, else where the build or the installation that this command belongs to has it. Throws
/// InputError.
std::string libgc_folder();

}  // namespace jackdaw::tools

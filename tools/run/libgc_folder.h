// libgc_folder: the folder of the libraries that replace libgc.
#pragma once

#include <string>

namespace jackdaw::tools {

/// Returns the absolute path of the folder with Jackdaw's libgc.so.1: the one that JACKDAW_LIBGC_FOLDER names
/// in the environment, or that of this command's build or installation. Throws InputError.
std::string libgc_folder();

}  // namespace jackdaw::tools

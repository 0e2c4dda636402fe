// expand_path(): the path of a file that an environment variable names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jackdaw::base {

/// `pattern`, in which %p becomes the process's number, %n that of the collection, where there is one, and %%
/// a %. Throws std::bad_alloc.
std::string expand_path(std::string_view pattern, std::optional<std::uint64_t> collection = {});

}  // namespace jackdaw::base

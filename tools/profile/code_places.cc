#include "tools/profile/code_places.h"

#include <elf.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace jackdaw::tools {

namespace {

// Returns what is to be added to the addresses in the mapping's file; nothing when the file tells no such
// segment.
std::optional<std::uint64_t> load_bias(const ProfileFile::Mapping& mapping) {
  constexpr std::uint64_t kPage = 4096;
  std::error_code error;
  if (!std::filesystem::is_regular_file(mapping.path, error)) return std::nullopt;
  std::ifstream file(mapping.path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return std::nullopt;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0 &&
        segment.p_offset / kPage == mapping.offset / kPage)
      return mapping.start - mapping.offset - (segment.p_vaddr - segment.p_offset);
  }
  return std::nullopt;
}

std::vector<DumpedObjectFile> object_files(const ProfileFile& profile) {
  std::vector<DumpedObjectFile> files;
  for (const ProfileFile::Mapping& mapping : profile.mappings) {
    const auto bias = load_bias(mapping);
    files.push_back(
        {bias.value_or(mapping.start), mapping.path, {{mapping.end - mapping.start, mapping.start, true}}});
  }
  return files;
}

}  // namespace

CodePlaces::CodePlaces(const ProfileFile& profile) : files_(object_files(profile)), symbols_(files_, "") {}

const std::string& CodePlaces::function_at(std::uint64_t address) {
  const auto [place, is_new] = functions_.try_emplace(address);
  if (!is_new) return place->second;
  place->second = symbols_.symbol_at(address);
  if (place->second.empty()) place->second = fmt::format("{:#x}", address);
  return place->second;
}

bool CodePlaces::is_of_collector(std::uint64_t address) {
  return tools::is_of_collector(function_at(address), symbols_.file_at(address));
}

}  // namespace jackdaw::tools

#include "tools/profile/code_places.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

namespace jackdaw::tools {

namespace {

// Returns how many bytes of a segment's part of the file the mapping has.
std::uint64_t common_bytes(const ProfileFile::Mapping& mapping, const Elf64_Phdr& segment) {
  const std::uint64_t mapped_end = mapping.offset + (mapping.end - mapping.start);
  const std::uint64_t begin = std::max<std::uint64_t>(mapping.offset, segment.p_offset);
  const std::uint64_t end = std::min<std::uint64_t>(mapped_end, segment.p_offset + segment.p_filesz);
  return end - std::min(begin, end);
}

// Returns what is to be added to the addresses in the mapping's file; nothing when the file tells no such
// segment. A mapping may be a part of its segment, and its first and last page may hold parts of others.
std::optional<std::uint64_t> load_bias(const ProfileFile::Mapping& mapping) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(mapping.path, error)) return std::nullopt;
  std::ifstream file(mapping.path, std::ios::binary);
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return std::nullopt;
  std::optional<std::uint64_t> bias;
  std::uint64_t most = 0;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return std::nullopt;
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uint64_t bytes = common_bytes(mapping, segment);
    if (bytes <= most) continue;
    most = bytes;
    bias = mapping.start - mapping.offset - (segment.p_vaddr - segment.p_offset);
  }
  return bias;
}

// A file is named once for all of its mappings: elfutils drops one that comes twice.
std::vector<DumpedObjectFile> object_files(const ProfileFile& profile) {
  std::vector<DumpedObjectFile> files;
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> numbers;
  for (const ProfileFile::Mapping& mapping : profile.mappings) {
    const std::uint64_t bias = load_bias(mapping).value_or(mapping.start);
    const auto [place, is_new] = numbers.try_emplace({mapping.path, bias}, files.size());
    if (is_new) files.push_back({bias, mapping.path, {}});
    files[place->second].segments.push_back({mapping.end - mapping.start, mapping.start, true});
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

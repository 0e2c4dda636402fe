// The corpus of heap_fuzz as an ordinary test: heap_replay FILE-OR-FOLDER... runs each program in turn.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <vector>

#include "tests/fuzz/heap_program.h"

namespace {

std::vector<std::filesystem::path> files_in(std::span<char*> arguments) {
  std::vector<std::filesystem::path> files;
  for (const char* const argument : arguments) {
    if (!std::filesystem::is_directory(argument)) {
      files.emplace_back(argument);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argument)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

int main(int count, char** arguments) {
  jackdaw::fuzz::start_collector();
  const auto files = files_in(std::span(arguments, static_cast<std::size_t>(count)).subspan(1));
  for (const std::filesystem::path& path : files) {
    std::fprintf(stderr, "%s\n", path.c_str());
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    jackdaw::fuzz::run_heap_program({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  }
  std::printf("%zu programs\n", files.size());
  return files.empty() ? 1 : 0;
}

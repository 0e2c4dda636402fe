// Files of tests as bytes.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace jackdaw::tools {

using Bytes = std::vector<std::uint8_t>;

[[nodiscard]] inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

[[nodiscard]] inline Bytes bytes_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// `plain` as a gzip file.
[[nodiscard]] inline Bytes gzipped(const Bytes& plain) {
  constexpr int kGzipFormat = 15 + 16;
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, kGzipFormat, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  Bytes packed(deflateBound(&stream, plain.size()));
  stream.next_in = const_cast<std::uint8_t*>(plain.data());
  stream.avail_in = static_cast<unsigned>(plain.size());
  stream.next_out = packed.data();
  stream.avail_out = static_cast<unsigned>(packed.size());
  const int result = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (result != Z_STREAM_END) throw std::runtime_error("deflate");
  return packed;
}

}  // namespace jackdaw::tools

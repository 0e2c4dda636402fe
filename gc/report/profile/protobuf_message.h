// ProtobufMessage: puts a message of protocol buffers together, field by field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/page_vector.h"

namespace jackdaw::gc {

/// One thread. Nothing calls malloc.
class ProtobufMessage {
 public:
  /// The message is appended to `out`.
  explicit ProtobufMessage(base::PageVector<std::byte>& out) : out_(out) {}

  /// Appends a number.
  void number(std::uint32_t field, std::uint64_t value) {
    varint(std::uint64_t{field} << 3);
    varint(value);
  }
  /// Appends a number to what becomes the text of a packed field.
  void packed(std::uint64_t value) { varint(value); }
  /// Appends a text, or a message that is whole.
  void text(std::uint32_t field, std::span<const std::byte> bytes) {
    varint(std::uint64_t{field} << 3 | 2);
    varint(bytes.size());
    is_whole_ = out_.append_all(bytes) && is_whole_;
  }
  void text(std::uint32_t field, std::string_view text) { this->text(field, std::as_bytes(std::span(text))); }
  /// Whether there was memory for all of it.
  [[nodiscard]] bool is_whole() const { return is_whole_; }

 private:
  // Seven bits in each byte, the low ones first.
  void varint(std::uint64_t value) {
    constexpr std::size_t kMost = 10;
    is_whole_ = out_.reserve(out_.size() + kMost) && is_whole_;
    if (!is_whole_) return;
    for (; value >= 0x80; value >>= 7) out_.append_reserved(static_cast<std::byte>(value | 0x80));
    out_.append_reserved(static_cast<std::byte>(value));
  }

  base::PageVector<std::byte>& out_;
  bool is_whole_ = true;
};

}  // namespace jackdaw::gc

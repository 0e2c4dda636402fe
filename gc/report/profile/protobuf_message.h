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
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) append(static_cast<std::byte>(value | 0x80));
    append(static_cast<std::byte>(value));
  }
  void append(std::byte byte) { is_whole_ = out_.append(byte) && is_whole_; }

  base::PageVector<std::byte>& out_;
  bool is_whole_ = true;
};

}  // namespace jackdaw::gc

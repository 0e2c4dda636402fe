// OutputFile: a result file that appears whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace jackdaw::tools {

/// The file is written beside its final name and renamed when it is complete, so that no reader takes a part
/// for the whole. An object that is destroyed without commit() leaves nothing behind. A device, a pipe, a
/// link and a file of several names keep their place: they are written themselves.
class OutputFile {
 public:
  /// Opens the file beside `path` now, so that a path that cannot be written to is known before the work is
  /// done; what was there stays until something is written. `argument` names it in errors, such as "--json".
  /// Throws InputError.
  OutputFile(const std::string& argument, const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Adds `text` to the file. Throws InputError when the disk does not take it.
  void write(std::string_view text);
  /// Adds `text`, after which the file is whole. Throws InputError.
  void commit(std::string_view text = {});

 private:
  void flush();
  [[nodiscard]] bool is_replaced() const { return written_path_ != path_; }
  [[noreturn]] void fail(const char* what) const;

  std::string argument_;
  std::string path_;
  std::string written_path_;  // until it is whole
  bool has_begun_ = false;
  int descriptor_ = -1;
  std::string waiting_;  // written in large pieces
};

}  // namespace jackdaw::tools

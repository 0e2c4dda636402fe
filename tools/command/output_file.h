// OutputFile: a result file that appears complete or not at all.
#pragma once

#include <string>
#include <string_view>

namespace jackdaw::tools {

/// The file is written beside its final name and renamed when it is complete, so that no reader sees a part
/// of it. An object that is destroyed without commit() leaves nothing behind, nor does a command that SIGINT,
/// SIGTERM, SIGHUP or SIGPIPE ends meanwhile. A device, a pipe, a link and a file with several names are
/// written in place.
class OutputFile {
 public:
  /// Opens the file beside `path` now, so that an unwritable path is found before the work is done; an
  /// existing file stays until something is written. `argument` names it in errors, such as "--json". Throws
  /// InputError.
  OutputFile(const std::string& argument, const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Adds `text` to the file. Throws InputError when the disk does not take it.
  void write(std::string_view text);
  /// Adds `text`, after which the file is complete. Throws InputError.
  void commit(std::string_view text = {});

 private:
  void flush();
  [[nodiscard]] bool is_replaced() const { return written_path_ != path_; }
  [[noreturn]] void fail(const char* what) const;

  std::string argument_;
  std::string path_;
  std::string written_path_;  // until it is complete
  bool has_begun_ = false;
  int descriptor_ = -1;
  std::string waiting_;  // to be written in large pieces
};

}  // namespace jackdaw::tools

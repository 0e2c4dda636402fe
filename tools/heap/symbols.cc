#include "tools/heap/symbols.h"

#include <cxxabi.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <new>

namespace jackdaw::tools {

namespace {

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return plain != nullptr ? plain.get() : name;
}

}  // namespace

void Symbols::End::operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }

Symbols::Symbols(const std::vector<DumpedObjectFile>& files, const std::string& program)
    : files_(files), program_(program) {
  static const Dwfl_Callbacks kCallbacks{.find_elf = nullptr,
                                         .find_debuginfo = dwfl_standard_find_debuginfo,
                                         .section_address = nullptr,
                                         .debuginfo_path = nullptr};
  dwfl_.reset(dwfl_begin(&kCallbacks));
  if (dwfl_ == nullptr) throw std::bad_alloc();
  dwfl_report_begin(dwfl_.get());
  for (const DumpedObjectFile& file : files) {
    const std::string& path = file.path.empty() ? program_ : file.path;
    std::error_code error;
    // The kernel's own object has no file.
    if (std::filesystem::is_regular_file(path, error))
      dwfl_report_elf(dwfl_.get(), path.c_str(), path.c_str(), -1, file.load_bias, true);
  }
  dwfl_report_end(dwfl_.get(), nullptr, nullptr);
}

const DumpedObjectFile* Symbols::file_with(std::uint64_t address) const {
  for (const DumpedObjectFile& file : files_) {
    for (const DumpedObjectFile::Segment& segment : file.segments) {
      if (address - segment.address < segment.bytes) return &file;
    }
  }
  return nullptr;
}

std::string Symbols::file_at(std::uint64_t address) const {
  const DumpedObjectFile* const file = file_with(address);
  if (file == nullptr) return "";
  return std::filesystem::path(file->path.empty() ? program_ : file->path).filename();
}

std::string Symbols::name_at(std::uint64_t address) const { return name_at(address, true); }
bool is_of_collector(std::string_view function, std::string_view file) {
  return function.starts_with("GC_") || function.find("jackdaw::") != std::string_view::npos ||
         file.starts_with("libgc.so") || file.starts_with("libgccpp.so") || file.starts_with("libjackdaw.so");
}

std::string Symbols::symbol_at(std::uint64_t address) const { return name_at(address, false); }

std::string Symbols::line_at(std::uint64_t address) const {
  Dwfl_Line* const line = dwfl_getsrc(dwfl_.get(), address);
  int number = 0;
  const char* const path =
      line == nullptr ? nullptr : dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  if (path == nullptr) return "";
  return fmt::format("{}:{}", std::filesystem::path(path).filename().string(), number);
}

std::string Symbols::call_at(std::uint64_t address) const {
  std::string function = symbol_at(address);
  if (function.empty()) function = fmt::format("{:#x}", address);
  const std::string line = line_at(address);
  return line.empty() ? function : fmt::format("{} ({})", function, line);
}

std::string Symbols::name_at(std::uint64_t address, bool with_offset) const {
  const DumpedObjectFile* const file = file_with(address);
  if (file == nullptr) return "";
  Dwfl_Module* const module = dwfl_addrmodule(dwfl_.get(), address);
  GElf_Off offset = 0;
  GElf_Sym symbol;
  const char* const name =
      module == nullptr ? nullptr
                        : dwfl_module_addrinfo(module, address, &offset, &symbol, nullptr, nullptr, nullptr);
  // An address behind the symbol belongs to something without a name.
  if (name != nullptr && (symbol.st_size == 0 || offset < symbol.st_size))
    return offset == 0 || !with_offset ? demangled(name) : fmt::format("{} + {}", demangled(name), offset);
  return fmt::format("{} + {:#x}", file_at(address), address - file->load_bias);
}

}  // namespace jackdaw::tools

// A heap dump as data to look things up in.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/command/progress.h"
#include "bench/graph/byte_source.h"
#include "bench/graph/dump_records.h"

namespace jackdaw {

struct DumpContents : bench::DumpVisitor {
  struct Object {
    bench::DumpedKind kind;
    bench::DumpedObject told;
    std::vector<bench::DumpedReference> references;

    /// Of the object that a word leads to; 0: it leads to none.
    [[nodiscard]] std::uint64_t target_of_word(std::uint64_t word) const {
      for (const bench::DumpedReference& reference : references) {
        if (reference.word == word + 1) return reference.target;
      }
      return 0;
    }
  };
  struct Root {
    bench::DumpedRoots among;
    bench::DumpedRoot told;
  };

  explicit DumpContents(const std::string& path) {
    bench::ByteSource source(path);
    bench::Progress progress("reading");
    bench::DumpRecords(source, progress).visit_all(*this);
  }

  void visit_program(const bench::DumpedProgram& told) override { program = told; }
  void visit_object_file(const bench::DumpedObjectFile& file) override { files.push_back(file); }
  void visit_type(std::uint64_t type, const std::string& name) override { types[type] = name; }
  void begin_block(const bench::DumpedBlock&, const bench::DumpedKind& kind) override { kind_ = kind; }
  void begin_object(const bench::DumpedObject& told) override {
    object_ = &objects[told.address];
    *object_ = {kind_, told, {}};
  }
  void visit_reference(const bench::DumpedReference& reference) override {
    object_->references.push_back(reference);
  }
  void begin_roots(const bench::DumpedRoots& among) override { roots_ = among; }
  void visit_root(const bench::DumpedRoot& root) override { roots.push_back({roots_, root}); }
  void visit_return_address(std::uint64_t thread, std::uint64_t place, std::uint64_t address) override {
    return_addresses[thread][place] = address;
  }

  /// Null: no live object starts there.
  [[nodiscard]] const Object* object_at(const void* address) const {
    const auto found = objects.find(reinterpret_cast<std::uintptr_t>(address));
    return found == objects.end() ? nullptr : &found->second;
  }
  /// Those that lead to the object.
  [[nodiscard]] std::vector<Root> roots_to(const void* object) const {
    std::vector<Root> found;
    for (const Root& root : roots) {
      if (root.told.target == reinterpret_cast<std::uintptr_t>(object)) found.push_back(root);
    }
    return found;
  }

  bench::DumpedProgram program;
  std::vector<bench::DumpedObjectFile> files;
  std::map<std::uint64_t, std::string> types;
  std::map<std::uint64_t, Object> objects;
  std::vector<Root> roots;
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> return_addresses;

 private:
  bench::DumpedKind kind_;
  Object* object_ = nullptr;
  bench::DumpedRoots roots_;
};

}  // namespace jackdaw

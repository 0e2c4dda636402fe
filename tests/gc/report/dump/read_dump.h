// A heap dump as data to look things up in.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/command/progress.h"
#include "tools/graph/byte_source.h"
#include "tools/graph/dump_records.h"

namespace jackdaw {

struct DumpContents : tools::DumpVisitor {
  struct Object {
    tools::DumpedKind kind;
    tools::DumpedObject told;
    std::vector<tools::DumpedReference> references;

    /// The number of the object that a word leads to, or 0.
    [[nodiscard]] std::uint64_t target_of_word(std::uint64_t word) const {
      for (const tools::DumpedReference& reference : references) {
        if (reference.word == word + 1) return reference.target;
      }
      return 0;
    }
  };
  struct Root {
    tools::DumpedRoots among;
    tools::DumpedRoot told;
  };

  explicit DumpContents(const std::string& path) {
    tools::ByteSource source(path);
    tools::Progress progress("reading");
    tools::DumpRecords(source, progress).visit_all(*this);
  }

  void visit_program(const tools::DumpedProgram& told) override { program = told; }
  void visit_object_file(const tools::DumpedObjectFile& file) override { files.push_back(file); }
  void visit_type(std::uint64_t type, const std::string& name) override { types[type] = name; }
  void begin_block(const tools::DumpedBlock& block, const tools::DumpedKind& kind) override {
    blocks.push_back(block);
    kind_ = kind;
  }
  void begin_object(const tools::DumpedObject& told) override {
    object_ = &objects[told.address];
    *object_ = {kind_, told, {}};
  }
  void visit_reference(const tools::DumpedReference& reference) override {
    object_->references.push_back(reference);
  }
  void begin_roots(const tools::DumpedRoots& among) override { roots_ = among; }
  void visit_root(const tools::DumpedRoot& root) override { roots.push_back({roots_, root}); }
  void visit_return_address(std::uint64_t thread, std::uint64_t place, std::uint64_t address) override {
    return_addresses[thread][place] = address;
  }

  /// Null: no live object starts there.
  [[nodiscard]] const Object* object_at(const void* address) const {
    const auto found = objects.find(reinterpret_cast<std::uintptr_t>(address));
    return found == objects.end() ? nullptr : &found->second;
  }
  /// The roots that lead to the object.
  [[nodiscard]] std::vector<Root> roots_to(const void* object) const {
    std::vector<Root> found;
    for (const Root& root : roots) {
      if (root.told.target == reinterpret_cast<std::uintptr_t>(object)) found.push_back(root);
    }
    return found;
  }

  tools::DumpedProgram program;
  std::vector<tools::DumpedObjectFile> files;
  std::map<std::uint64_t, std::string> types;
  std::vector<tools::DumpedBlock> blocks;
  std::map<std::uint64_t, Object> objects;
  std::vector<Root> roots;
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> return_addresses;

 private:
  tools::DumpedKind kind_;
  Object* object_ = nullptr;
  tools::DumpedRoots roots_;
};

}  // namespace jackdaw

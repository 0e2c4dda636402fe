// Words and slots: what the program writes under a type of its own is read, however much the compiler sees.
#include "heap/word.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "heap/object.h"

namespace jackdaw::heap {
namespace {

// An embedder's objects have this header.
struct Node {
  const TypeDescriptor* type = nullptr;
  Node* next = nullptr;
};

// Each reads, writes under another type and reads again what a compiler that may believe in types still has
// in a register.
[[gnu::noinline]] std::uintptr_t word_after_store(Words words, Node** place, Node* next) {
  const std::uintptr_t before = words[0].bits;
  *place = next;
  return before + words[0].bits;
}

[[gnu::noinline]] std::uintptr_t slot_after_store(const Object* object, Node** place, Node* next) {
  const auto before = reinterpret_cast<std::uintptr_t>(*object->slot(1));
  *place = next;
  return before + reinterpret_cast<std::uintptr_t>(*object->slot(1));
}

[[gnu::noinline]] const TypeDescriptor* type_after_store(const Object* object, std::uintptr_t* header,
                                                         const TypeDescriptor* type) {
  const TypeDescriptor* const before = object->type();
  *header = reinterpret_cast<std::uintptr_t>(type);
  return before != nullptr ? nullptr : object->type();
}

[[gnu::noinline]] std::uint64_t length_after_store(const Object* array, Node** place, Node* next) {
  const std::uint64_t before = array->array_length();
  *place = next;
  return before + array->array_length();
}

class WordTest : public testing::Test {
 protected:
  // The compiler must not know that it is the node.
  [[nodiscard]] const Object* object() const { return static_cast<const Object*>(hidden_); }

  Node node_;
  Node other_;
  const std::uintptr_t address_ = reinterpret_cast<std::uintptr_t>(&other_);

 private:
  void* volatile hidden_ = &node_;
};

TEST_F(WordTest, AWordIsReadAgainAfterAStoreOfAnyType) {
  EXPECT_EQ(word_after_store({words_at(object()) + 1, 1}, &node_.next, &other_), address_);
}

TEST_F(WordTest, ASlotIsReadAgainAfterAStoreOfAnyType) {
  EXPECT_EQ(slot_after_store(object(), &node_.next, &other_), address_);
}

TEST_F(WordTest, AHeaderIsReadAgainAfterAStoreOfAnyType) {
  const TypeDescriptor type = TypeDescriptor::all_words(16);
  auto* const header = reinterpret_cast<std::uintptr_t*>(&node_.type);
  EXPECT_EQ(type_after_store(object(), header, &type), &type);
}

TEST_F(WordTest, ALengthIsReadAgainAfterAStoreOfAnyType) {
  EXPECT_EQ(length_after_store(object(), &node_.next, &other_), address_);
}

}  // namespace
}  // namespace jackdaw::heap

// Copies of strings, as objects without pointers: gc.h, section 4.
#include <cstring>
#include <cwchar>

#include "gc/c/interface.h"

#pragma GCC visibility push(default)
extern "C" {

char* GC_strdup(const char* string) {
  return string == nullptr ? nullptr : GC_strndup(string, std::strlen(string));
}

char* GC_strndup(const char* string, std::size_t count) {
  const std::size_t length = strnlen(string, count);
  auto* const copy = static_cast<char*>(GC_malloc_atomic(length + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, string, length);
  copy[length] = '\0';
  return copy;
}

wchar_t* GC_wcsdup(const wchar_t* string) {
  const std::size_t bytes = (std::wcslen(string) + 1) * sizeof(wchar_t);
  auto* const copy = static_cast<wchar_t*>(GC_malloc_atomic(bytes));
  if (copy != nullptr) std::memcpy(copy, string, bytes);
  return copy;
}

}  // extern "C"
#pragma GCC visibility pop

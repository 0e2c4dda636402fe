// Valgrind: tells memcheck which memory holds values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace jackdaw::base {

/// Marks the bytes as initialised where the program runs on memcheck: addresses that a conservative search
/// found are valid, whether or not the word was still in use. Elsewhere it is a few instructions without
/// effect.
inline void define_for_valgrind([[maybe_unused]] const void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __x86_64__
  constexpr std::uint64_t kMakeMemoryDefined = std::uint64_t{'M'} << 24 | std::uint64_t{'C'} << 16 | 2;
  const std::array<std::uint64_t, 6> request{kMakeMemoryDefined, reinterpret_cast<std::uintptr_t>(memory),
                                             bytes};
  std::uint64_t answer = 0;
  // These rotations change nothing; valgrind knows the sequence, and takes the request's address from rax.
  asm volatile("rolq $3, %%rdi\n\trolq $13, %%rdi\n\trolq $61, %%rdi\n\trolq $51, %%rdi\n\txchgq %%rbx, %%rbx"
               : "+d"(answer)
               : "a"(request.data())
               : "cc", "memory");
#endif
}

}  // namespace jackdaw::base

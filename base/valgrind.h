// Valgrind: tells its memcheck what memory holds values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace jackdaw::base {

/// Where the program runs on memcheck, the bytes count as written: addresses that a conservative search found
/// are good, whether or not the word was still in use. Otherwise nothing: a few instructions.
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

#include "bench/mark/line_reads.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <sstream>
#include <string>

#include "mark/random_numbers.h"
#include "tools/command/input_error.h"
#include "tools/command/memory_limit.h"

namespace jackdaw::bench {

namespace {

constexpr std::uint64_t kHugePageBytes = std::uint64_t{2} << 20;

// Keeps a compiler from dropping the reads, as the sum goes where it cannot see it.
void keep(std::uint64_t sum) { asm volatile("" : : "r"(sum)); }

// Returns a random line of `lines`, which may be more than 2^32: the upper half of a product.
std::uint64_t below(std::uint64_t random, std::uint64_t lines) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{random} * lines) >> 64);
}

void read_random(const LineMemory& memory, std::uint64_t reads, std::uint64_t seed) {
  mark::RandomNumbers random(seed);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < reads; ++i) sum += memory.word_of(below(random.next(), memory.lines()));
  keep(sum);
}

void read_stream(const LineMemory& memory, std::uint64_t first, std::uint64_t reads) {
  std::uint64_t sum = 0;
  std::uint64_t line = first;
  for (std::uint64_t i = 0; i < reads; ++i) {
    sum += memory.word_of(line);
    if (++line == memory.lines()) line = 0;
  }
  keep(sum);
}

// Returns the value of a line "AnonHugePages:  1234 kB" for the mapping that holds `address`.
std::uint64_t huge_bytes_of_mapping(std::uintptr_t address) {
  std::ifstream smaps("/proc/self/smaps");
  std::string line;
  bool inside = false;
  while (std::getline(smaps, line)) {
    std::istringstream fields(line);
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    char dash = 0;
    if (fields >> std::hex >> from >> dash >> to && dash == '-') {
      inside = from <= address && address < to;
    } else if (inside && line.starts_with("AnonHugePages:")) {
      return std::stoull(line.substr(line.find(':') + 1)) * 1024;
    }
  }
  return 0;
}

}  // namespace

LineMemory::LineMemory(std::uint64_t bytes, PageKind pages)
    : lines_(std::max<std::uint64_t>(1, bytes / kLineBytes + (bytes % kLineBytes == 0 ? 0 : 1))),
      mapped_bytes_(lines_ * kLineBytes + kHugePageBytes) {
  const std::uint64_t available = tools::available_memory_bytes();
  if (bytes > available || mapped_bytes_ > available) {
    throw tools::InputError(fmt::format("{} to read do not fit in memory ({} available); take less",
                                        tools::describe_bytes(bytes), tools::describe_bytes(available)));
  }
  mapping_ = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) {
    throw tools::InputError(
        fmt::format("the system does not give {} to read; take less", tools::describe_bytes(bytes)));
  }
  // This is only advice; bytes_on_huge_pages() returns the result.
  madvise(mapping_, mapped_bytes_, pages == PageKind::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  const auto start =
      (reinterpret_cast<std::uintptr_t>(mapping_) + kHugePageBytes - 1) & ~(kHugePageBytes - 1);
  words_ = reinterpret_cast<std::uint64_t*>(start);
  // The memory is written, as it would otherwise be one page of zeros.
  std::fill_n(words_, lines_ * kLineBytes / sizeof(std::uint64_t), 1);
}

LineMemory::~LineMemory() { munmap(mapping_, mapped_bytes_); }

std::uint64_t LineMemory::bytes_on_huge_pages() const {
  return std::min(bytes(), huge_bytes_of_mapping(reinterpret_cast<std::uintptr_t>(words_)));
}

std::chrono::nanoseconds read_lines(const LineMemory& memory, ReadOrder order, std::uint64_t reads,
                                    std::uint64_t seed, mark::ThreadPool& threads) {
  using Clock = std::chrono::steady_clock;
  std::atomic<std::uint32_t> arrived{0};
  std::atomic<bool> begun{false};
  Clock::time_point start;
  threads.run([&](std::uint32_t worker) {
    const std::uint64_t from = reads * worker / threads.size();
    const std::uint64_t count = reads * (worker + 1) / threads.size() - from;
    // All threads are awake before the clock starts. Sequentially consistent by default: nothing here is hot.
    if (arrived.fetch_add(1) + 1 == threads.size()) {
      start = Clock::now();
      begun = true;
    }
    while (!begun) {
    }
    if (order == ReadOrder::random) {
      read_random(memory, count, seed + worker);
    } else {
      read_stream(memory, from % memory.lines(), count);
    }
  });
  return Clock::now() - start;
}

}  // namespace jackdaw::bench

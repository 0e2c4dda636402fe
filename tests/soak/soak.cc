// jackdaw-soak: threads that build, share, drop, weakly link and finalize graphs through the C interface, for
// as long as one likes, beside a model that knows what must be there.
#include <getopt.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "jackdaw/gc.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "tests/scaled.h"
#include "tests/soak/board.h"
#include "tests/soak/finalization.h"
#include "tests/soak/random.h"
#include "tests/soak/tally.h"
#include "tests/soak/watchdog.h"
#include "tests/soak/worker.h"

namespace jackdaw::soak {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::uint64_t seconds = 60;
  std::uint64_t threads = 8;
  std::uint64_t seed = 1;
};

constexpr const char* kHelp =
    "Usage: jackdaw-soak [--seconds N] [--threads N] [--seed N] [--verify] [--stress SEED] [--poison]\n"
    "\n"
    "Threads build, share, drop, weakly link and finalize graphs in Jackdaw's heap and compare them with a\n"
    "model outside of it: nothing live may be lost, nothing dead may stay, and each finalizer is called "
    "once.\n"
    "Each second one of them forks, and the child looks at the graphs, allocates and collects.\n"
    "\n"
    "  --seconds N   run for so long (60), then drop everything and look at what is left\n"
    "  --threads N   so many threads at a time (8)\n"
    "  --seed N      another course of events (1); threads make each course different, though\n"
    "  --verify      a second marking follows each (JACKDAW_VERIFY=1)\n"
    "  --stress N    collections and delays at random, with the seed N (JACKDAW_STRESS=N)\n"
    "  --poison      memory that holds no object is filled (JACKDAW_POISON=1)\n"
    "  --help        print this\n"
    "\n"
    "Prints what was done as one line of JSON. The exit status is 0 if all was well, 1 if not (standard "
    "error\n"
    "says what), and 2 for a command line that it does not understand.\n"
    "\n"
    "Example: jackdaw-soak --seconds 3600 --threads 16\n";

// ---- Threads ----

// The data that all workers share. Its own memory is no root but for the board's.
struct Soak {
  Board board;
  Clock::time_point end;
  std::uint64_t seed = 0;
  std::atomic<std::uint64_t> next_worker{1};
  std::atomic<Clock::time_point> next_fork{Clock::now()};
  std::mutex mutex;  // held for a few instructions
  std::vector<LastingLink> lasting_links;
};

void check_heap_size() {
  const std::uint64_t allowed = allowed_bytes();
  const std::uint64_t bytes = GC_get_heap_size();
  if (bytes <= allowed) return;
  GC_dump();
  fail("the heap is larger than it should be", bytes, allowed);
}

// Hands on links that are still there when their thread ends, while there are not too many.
void keep_long_links(Soak& soak, std::vector<LastingLink> links) {
  constexpr std::size_t kMost = 4096;
  {
    const std::lock_guard lock(soak.mutex);
    while (!links.empty() && soak.lasting_links.size() < kMost) {
      soak.lasting_links.push_back(std::move(links.back()));
      links.pop_back();
    }
  }
  for (const LastingLink& lasting : links) lasting.link.unregister();
}

// A child has all that the worker has, and can allocate and collect. Its exit status is 1 when that is not so
// (fail), and a signal's when it hangs.
[[noreturn]] void use_heap_in_child(Worker& worker) {
  constexpr unsigned kMostSeconds = 120;
  // Under stress, collections come long before the budget is used up.
  const int objects = getenv("JACKDAW_STRESS") == nullptr ? 500'000 : 50'000;
  alarm(kMostSeconds);
  worker.check_roots();
  void** list = nullptr;
  for (int i = 0; i < objects; ++i) {
    auto** const link = static_cast<void**>(GC_malloc(64));
    check(link != nullptr, "a child has no memory");
    *link = i % 1000 == 0 ? nullptr : list;
    list = link;
  }
  worker.check_roots();
  GC_gcollect();
  worker.check_roots();
  _exit(0);
}

// One thread each second. Sanitizers' locks may be held by the threads that the child has not.
void fork_when_due(Soak& soak, Worker& worker) {
  // Relaxed, both: the thread that changes it forks.
  Clock::time_point due = soak.next_fork.load(std::memory_order_relaxed);
  const Clock::time_point now = Clock::now();
  if (mark::kSanitized || now < due ||
      !soak.next_fork.compare_exchange_strong(due, now + std::chrono::seconds(1), std::memory_order_relaxed))
    return;
  const pid_t child = fork();
  check(child >= 0, "a child could not be made");
  if (child == 0) use_heap_in_child(worker);
  int status = 0;
  while (waitpid(child, &status, 0) != child) continue;
  check(status == 0, "a child ended badly", static_cast<std::uint64_t>(status));
  count(tally.forks);
}

// One thread's life.
void* work(void* argument) {
  constexpr std::uint64_t kFewestRounds = 2000;
  constexpr std::uint64_t kRoundsBetweenChecks = 1024;
  auto& soak = *static_cast<Soak*>(argument);
  // Relaxed: only that numbers differ counts.
  const std::uint64_t seed = mixed(soak.seed) + soak.next_worker.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t rounds = kFewestRounds + mixed(seed) % (4 * kFewestRounds);
  Worker worker(soak.board, seed);
  for (std::uint64_t round = 1; round <= rounds && Clock::now() < soak.end; ++round) {
    worker.do_round();
    fork_when_due(soak, worker);
    if (round % kRoundsBetweenChecks != 0) continue;
    worker.check_roots();
    check_heap_size();
  }
  worker.check_roots();
  keep_long_links(soak, worker.take_long_links());
  return nullptr;
}

// Keeps `threads` threads running until it is time: one that ended is replaced.
void run_threads(Soak& soak, std::uint64_t threads) {
  std::vector<pthread_t> running(threads);
  const auto start = [&](pthread_t& thread) {
    check(GC_pthread_create(&thread, nullptr, work, &soak) == 0, "a thread could not be made");
  };
  for (pthread_t& thread : running) start(thread);
  for (std::size_t next = 0; Clock::now() < soak.end; next = (next + 1) % threads) {
    GC_pthread_join(running[next], nullptr);
    start(running[next]);
  }
  for (const pthread_t thread : running) GC_pthread_join(thread, nullptr);
}

// ---- The end ----

std::uint64_t missed_finalizers() {
  std::uint64_t missed = 0;
  // Relaxed, all: the threads are over.
  for (std::size_t kind = 0; kind < kFinalizerKinds; ++kind)
    missed += tally.finalizers[kind].load(std::memory_order_relaxed) -
              tally.finalized[kind].load(std::memory_order_relaxed);
  return missed;
}

// This is not inlined: the contents of its frame must be cleared.
[[gnu::noinline]] void drop_board(Board& board) {
  for (std::size_t place = 0; place < Board::kPlaces; ++place) board.exchange(place, {});
}

// Overwrites what earlier calls left on the stack below the caller: those parts of the frames of later calls
// that these do not write to. The caller is no leaf, so nothing of its own is there.
[[gnu::always_inline]] inline void clear_stack() {
  constexpr std::size_t kBytes = std::size_t{128} << 10;
#if defined(__x86_64__)
  // A function of its own would leave gaps in its frame, too.
  asm volatile(
      "lea -%c[bytes](%%rsp), %%rdi\n\t"
      "mov %[words], %%ecx\n\t"
      "xor %%eax, %%eax\n\t"
      "rep stosq"
      :
      : [bytes] "i"(kBytes), [words] "i"(kBytes / sizeof(std::uintptr_t))
      : "rax", "rcx", "rdi", "memory", "cc");
#else
  std::array<volatile std::uintptr_t, kBytes / sizeof(std::uintptr_t)> words;
  for (volatile std::uintptr_t& word : words) word = 0;
#endif
}

// Objects with finalizers go from the outside in, one collection after another.
void collect_all(const std::vector<LastingLink>& links) {
  constexpr int kMostCollections = 64;
  constexpr int kFewestCollections = 4;
  const auto is_cleared = [](const LastingLink& lasting) { return lasting.link.is_cleared(); };
  for (int i = 0; i < kMostCollections; ++i) {
    clear_stack();
    GC_gcollect();
    invoke_finalizers();
    count(tally.rounds);
    if (i >= kFewestCollections && missed_finalizers() == 0 && std::ranges::all_of(links, is_cleared)) return;
  }
}

void check_end(Soak& soak) {
  constexpr std::uint64_t kMostLeft = std::uint64_t{2} << 20;
  drop_board(soak.board);
  clear_stack();
  collect_all(soak.lasting_links);
  // Relaxed: the threads are over.
  const std::uint64_t live = tally.live_bytes.load(std::memory_order_relaxed);
  check(live == 0, "the model itself has not dropped everything", live);
  check(missed_finalizers() == 0, "finalizers were not called", missed_finalizers());
  for (const LastingLink& lasting : soak.lasting_links) {
    static_cast<void>(lasting.link.follow());
    check(lasting.link.is_cleared(), "a long link was not cleared");
  }
  check(GC_get_memory_use() <= kMostLeft, "dead objects were not freed", GC_get_memory_use(), kMostLeft);
}

void print_summary(const Options& options) {
  const auto value = [](const std::atomic<std::uint64_t>& total) {
    return total.load(std::memory_order_relaxed);  // Relaxed: the threads are over.
  };
  std::printf("{\"seconds\":%" PRIu64 ",\"threads\":%" PRIu64 ",\"seed\":%" PRIu64, options.seconds,
              options.threads, options.seed);
  std::printf(",\"rounds\":%" PRIu64 ",\"threads_ended\":%" PRIu64 ",\"forks\":%" PRIu64
              ",\"graphs\":%" PRIu64 ",\"nodes\":%" PRIu64 ",\"nodes_checked\":%" PRIu64,
              value(tally.rounds), value(tally.threads), value(tally.forks), value(tally.graphs),
              value(tally.nodes), value(tally.nodes_checked));
  std::printf(",\"collections\":%" PRIu64 ",\"links\":%" PRIu64 ",\"links_cleared\":%" PRIu64
              ",\"nodes_freed\":%" PRIu64,
              static_cast<std::uint64_t>(GC_get_gc_no()), value(tally.links), value(tally.links_cleared),
              value(tally.freed));
  constexpr std::array kNames{"ordered", "ignore_self", "no_order", "unreachable"};
  static_assert(kNames.size() == kFinalizerKinds);
  for (std::size_t kind = 0; kind < kFinalizerKinds; ++kind)
    std::printf(",\"finalized_%s\":%" PRIu64, kNames[kind], value(tally.finalized[kind]));
  std::printf(",\"finalizers_missed\":%" PRIu64 ",\"peak_live_bytes\":%" PRIu64
              ",\"peak_resident_bytes\":%" PRIu64 ",\"bytes_left\":%zu}\n",
              missed_finalizers(), value(tally.peak_live_bytes), value(tally.peak_resident_bytes),
              GC_get_memory_use());
}

void run(const Options& options) {
  GC_set_finalize_on_demand(1);
  GC_set_java_finalization(1);
  GC_INIT();
  const Watchdog watchdog{std::chrono::seconds(options.seconds)};
  Soak soak;
  soak.end = Clock::now() + std::chrono::seconds(options.seconds);
  soak.seed = options.seed;
  run_threads(soak, options.threads);
  clear_stack();
  check_end(soak);
  print_summary(options);
}

// ---- The command line ----

std::optional<std::uint64_t> number_in(const char* text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, number);
  if (error != std::errc{} || rest != end || number < least || number > most) return std::nullopt;
  return number;
}

// Nothing after an error, which was told, and after the help. The collector reads its switches later.
std::optional<Options> parse(int count, char** words, int& status) {
  constexpr std::array<option, 8> kOptions{{{"seconds", required_argument, nullptr, 's'},
                                            {"threads", required_argument, nullptr, 't'},
                                            {"seed", required_argument, nullptr, 'e'},
                                            {"verify", no_argument, nullptr, 'v'},
                                            {"stress", required_argument, nullptr, 'r'},
                                            {"poison", no_argument, nullptr, 'p'},
                                            {"help", no_argument, nullptr, 'h'},
                                            {nullptr, 0, nullptr, 0}}};
  Options options;
  status = 2;
  for (int letter = 0; (letter = getopt_long(count, words, "", kOptions.data(), nullptr)) != -1;) {
    std::optional<std::uint64_t> number;
    if (letter == 's' && (number = number_in(optarg, 1, 1'000'000))) options.seconds = *number;
    if (letter == 't' && (number = number_in(optarg, 1, 1000))) options.threads = *number;
    if (letter == 'e' && (number = number_in(optarg, 0, UINT64_MAX))) options.seed = *number;
    if (letter == 'r' && (number = number_in(optarg, 1, UINT64_MAX))) setenv("JACKDAW_STRESS", optarg, 1);
    if (letter == 'v') setenv("JACKDAW_VERIFY", "1", 1);
    if (letter == 'p') setenv("JACKDAW_POISON", "1", 1);
    if (letter == 'h') {
      std::fputs(kHelp, stdout);
      status = 0;
      return std::nullopt;
    }
    if (number || letter == 'v' || letter == 'p') continue;
    if (letter != '?') std::fprintf(stderr, "jackdaw-soak: '%s' is no number that fits here\n", optarg);
    return std::nullopt;
  }
  if (optind == count) return options;
  std::fprintf(stderr, "jackdaw-soak: '%s' is no option; --help lists them\n", words[optind]);
  return std::nullopt;
}

}  // namespace
}  // namespace jackdaw::soak

int main(int count, char** words) {
  int status = 0;
  const auto options = jackdaw::soak::parse(count, words, status);
  if (!options) return status;
  jackdaw::soak::run(*options);
  return 0;
}

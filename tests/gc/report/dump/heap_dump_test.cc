// Heap dumps of this process, compared with the objects and roots that the tests know.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "jackdaw/cppgc.h"
#include "jackdaw/gc.h"
#include "jackdaw/gc_mark.h"
#include "jackdaw/gc_typed.h"
#include "tests/address_space_limit.h"
#include "tests/deny_system_call.h"
#include "tests/gc/clean_stack.h"
#include "tests/gc/report/dump/read_dump.h"
#include "tests/scaled.h"
#include "tests/temporary_folder.h"
#include "tests/tools/graph/graph_invariants.h"
#include "tools/graph/dump_graph.h"

namespace jackdaw {
namespace {

std::uint64_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

// A pipe that takes little until it is read.
class UnreadPipe {
 public:
  explicit UnreadPipe(const std::string& path) {
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    reader_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    EXPECT_GT(fcntl(reader_, F_SETPIPE_SZ, 4096), 0);
  }
  ~UnreadPipe() { close(reader_); }
  UnreadPipe(const UnreadPipe&) = delete;
  UnreadPipe& operator=(const UnreadPipe&) = delete;

  void read_all() const {
    fcntl(reader_, F_SETFL, 0);
    std::array<char, 4096> some;
    while (read(reader_, some.data(), some.size()) > 0) {
    }
  }

 private:
  int reader_ = -1;
};

void** static_root = nullptr;
constexpr std::size_t kLargeHeap = 100'000;

void make_large_heap() {
  static_root = static_cast<void**>(GC_malloc(kLargeHeap * sizeof(void*)));
  for (std::size_t i = 0; i < kLargeHeap; ++i) static_root[i * 7919 % kLargeHeap] = GC_malloc(16);
}

class HeapDumpTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name = "heap") const { return folder_.file(name); }
  [[nodiscard]] std::string could_not_be_written() const {
    return fmt::format(
        "jackdaw: the heap dump '{}' could not be written: no room for it, no memory, or too many "
        "processes\n",
        path());
  }
  [[nodiscard]] DumpContents dumped() const {
    EXPECT_EQ(GC_dump_heap(path().c_str()), 1);
    return DumpContents(path());
  }
  [[nodiscard]] std::set<std::string> files() const {
    const std::vector<std::string> names = folder_.contents();
    return {names.begin(), names.end()};
  }

 private:
  TemporaryFolder folder_;
};

// Whether there is a child of any kind, also one that has ended and was not waited for.
bool has_child() {
  siginfo_t ignored;
  return waitid(P_ALL, 0, &ignored, static_cast<int>(WEXITED | WNOHANG | WNOWAIT | __WALL)) == 0;
}

// Still to be waited for.
void await_end_of_child() {
  siginfo_t ignored;
  EXPECT_EQ(waitid(P_ALL, 0, &ignored, static_cast<int>(WEXITED | WNOWAIT | __WALL)), 0);
}

// ---- Objects ----

struct Words {
  std::array<void*, 6> word;
};

TEST_F(HeapDumpTest, HasPlacesWhereObjectsWereAllocatedWithChecks) {
  constexpr const char* kFile = "a/path/here.c";
  static_root = static_cast<void**>(GC_debug_malloc(2 * sizeof(void*), kFile, 12));
  static_root[0] = GC_debug_malloc_atomic(1, kFile, 70'000);
  static_root[1] = GC_debug_malloc(1, nullptr, 0);
  const DumpContents dump = dumped();
  const auto type_of = [&](const void* start) -> std::string {
    const auto* const object =
        dump.object_at(static_cast<const std::byte*>(start) - GC_get_debug_header_size());
    return object == nullptr ? "none" : dump.types.at(object->told.type);
  };
  EXPECT_EQ(type_of(static_root), "a/path/here.c:12");
  EXPECT_EQ(type_of(static_root[0]), "a/path/here.c:70000");
  EXPECT_EQ(type_of(static_root[1]), "allocated with checks at an unknown place");
  static_root = nullptr;
}

TEST_F(HeapDumpTest, HasObjectsWithTheWordsOfTheirReferences) {
  auto* const first = static_cast<Words*>(GC_malloc(sizeof(Words)));
  auto* const second = static_cast<Words*>(GC_malloc(sizeof(Words)));
  auto* const data = static_cast<char*>(GC_malloc_atomic(100));
  auto* const large = static_cast<void**>(GC_malloc(100'000));
  static_root = reinterpret_cast<void**>(first);
  first->word = {nullptr, second, nullptr, data + 40, large, nullptr};
  second->word[5] = first;
  std::memcpy(data, &first, sizeof first);
  large[12'000] = second;
  const DumpContents dump = dumped();
  const auto* const told = dump.object_at(first);
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->references.size(), 3U);
  EXPECT_EQ(told->target_of_word(1), number_of(second));
  EXPECT_EQ(told->target_of_word(3), number_of(data));
  EXPECT_EQ(told->references[1].interior, 40U);
  EXPECT_EQ(told->target_of_word(4), number_of(large));
  EXPECT_EQ(told->kind.contents, heap::Contents::words);
  ASSERT_NE(dump.object_at(second), nullptr);
  EXPECT_EQ(dump.object_at(second)->target_of_word(5), number_of(first));
  ASSERT_NE(dump.object_at(data), nullptr);
  EXPECT_EQ(dump.object_at(data)->kind.contents, heap::Contents::data);
  EXPECT_TRUE(dump.object_at(data)->references.empty());
  ASSERT_NE(dump.object_at(large), nullptr);
  EXPECT_GE(dump.object_at(large)->told.bytes, 100'000U);
  EXPECT_EQ(dump.object_at(large)->target_of_word(12'000), number_of(second));
  EXPECT_EQ(dump.program.process, static_cast<std::uint64_t>(getpid()));
  EXPECT_EQ(dump.program.collection, GC_get_gc_no());
  EXPECT_EQ(dump.program.path, std::filesystem::read_symlink("/proc/self/exe"));
}

TEST_F(HeapDumpTest, HasLargeObjectsThatShareBlocks) {
  std::vector<void**> objects;
  static_root = nullptr;
  for (std::size_t i = 0; i < 40; ++i) {
    objects.push_back(static_cast<void**>(GC_malloc(20'000)));
    objects.back()[2'000 + i] = static_root;
    static_root = objects.back();
  }
  const DumpContents dump = dumped();
  static_root = nullptr;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto* const told = dump.object_at(objects[i]);
    ASSERT_NE(told, nullptr) << i;
    EXPECT_GE(told->told.bytes, 20'000U);
    EXPECT_EQ(told->target_of_word(2'000 + i), i == 0 ? 0 : number_of(objects[i - 1]));
  }
  EXPECT_TRUE(std::ranges::any_of(dump.blocks, [](const tools::DumpedBlock& block) {
    return block.object_bytes == 20'480 && block.slots == 4;
  })) << "a span is one block";
}

[[gnu::noinline]] std::uint64_t dropped() { return ~number_of(GC_malloc(sizeof(Words))); }

TEST_F(HeapDumpTest, HasLiveObjectsAlone) {
  std::array<std::uint64_t, 100> hidden;
  for (std::uint64_t& address : hidden) address = dropped();
  clean_stack();
  const DumpContents dump = dumped();
  std::size_t there = 0;
  for (const std::uint64_t address : hidden) there += dump.objects.count(~address);
  EXPECT_LE(there, 10U);  // stale words may keep some
}

// The collector counts them after marking, while the program is stopped.
std::size_t live_objects = 0;
void count_live(GC_EventType event) {
  if (event != GC_EVENT_MARK_END) return;
  live_objects = 0;
  GC_enumerate_reachable_objects_inner([](void*, std::size_t, void*) { ++live_objects; }, nullptr);
}

TEST_F(HeapDumpTest, HasAsManyObjectsAsTheCollectorMarked) {
  for (int i = 0; i < 10'000; ++i) {
    auto* const list = static_cast<void**>(GC_malloc(16 + static_cast<std::size_t>(i) % 200));
    *list = static_root;
    static_root = list;
  }
  GC_set_on_collection_event(count_live);
  const DumpContents dump = dumped();
  GC_set_on_collection_event(nullptr);
  EXPECT_GE(live_objects, 10'000U);
  EXPECT_EQ(dump.objects.size(), live_objects);
  // Each is reached from the roots by references that the dump tells of.
  const tools::Graph graph = tools::read_heap_dump(path(), {.headers = false});
  EXPECT_EQ(tools::broken_invariant(graph), "");
  EXPECT_EQ(tools::reachable(graph).nodes, live_objects);
}

TEST_F(HeapDumpTest, FollowsLayouts) {
  constexpr GC_word kFirstAndThird = 0b101;
  const GC_descr layout = GC_make_descriptor(&kFirstAndThird, 4);
  auto* const object = static_cast<void**>(GC_malloc_explicitly_typed(4 * sizeof(void*), layout));
  static_root = object;
  for (int i = 0; i < 3; ++i) object[i] = GC_malloc(32);
  const DumpContents dump = dumped();
  const auto* const told = dump.object_at(object);
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->target_of_word(0), number_of(object[0]));
  EXPECT_EQ(told->target_of_word(1), 0U);
  EXPECT_EQ(told->target_of_word(2), number_of(object[2]));
}

class Named : public GarbageCollected<Named> {
 public:
  void Trace(Visitor* visitor) const { visitor->Trace(other_); }
  Member<Named> other_;
};

// The object starts before its address.
const DumpContents::Object* object_of(const DumpContents& dump, const void* inside) {
  return dump.object_at(reinterpret_cast<const void*>(number_of(GC_base(const_cast<void*>(inside)))));
}

TEST_F(HeapDumpTest, NamesCppTypesAndPersistents) {
  const Persistent<Named> root(MakeGarbageCollected<Named>());
  root->other_ = MakeGarbageCollected<Named>();
  const DumpContents dump = dumped();
  const auto* const told = object_of(dump, root.get());
  ASSERT_NE(told, nullptr);
  EXPECT_NE(dump.types.at(told->told.type).find("Named"), std::string::npos);
  ASSERT_EQ(told->references.size(), 1U);
  EXPECT_EQ(told->references[0].target, object_of(dump, root->other_.get())->told.address);
  std::uint64_t maker = 0;
  for (const auto& to : dump.roots_to(reinterpret_cast<const void*>(told->told.address))) {
    if (to.among.where == gc::DumpRoots::persistent) maker = to.told.place;
  }
  Dl_info program{};
  EXPECT_NE(dladdr(reinterpret_cast<const void*>(maker), &program), 0) << "no code made the handle";
}

template <int kNumber>
struct Numbered : GarbageCollected<Numbered<kNumber>> {
  void Trace(Visitor* visitor) const { visitor->Trace(next); }
  Member<Numbered> next;
};
template <int kNumber>
Persistent<Numbered<kNumber>>& numbered() {
  static Persistent<Numbered<kNumber>> object(MakeGarbageCollected<Numbered<kNumber>>());
  return object;
}
template <int... kNumbers>
void make_numbered(std::integer_sequence<int, kNumbers...>) {
  (numbered<kNumbers>(), ...);
  (numbered<sizeof...(kNumbers) - 1 - kNumbers>(), ...);
}

TEST_F(HeapDumpTest, NamesEachOfManyTypesOnce) {
  constexpr int kTypes = 40;
  make_numbered(std::make_integer_sequence<int, kTypes>());
  std::map<std::string, int> times;
  for (const auto& [type, name] : dumped().types) ++times[name];
  int numbered_types = 0;
  for (const auto& [name, count] : times) {
    if (name.find("Numbered<") == std::string::npos) continue;
    ++numbered_types;
    EXPECT_EQ(count, 1) << name;
  }
  EXPECT_EQ(numbered_types, kTypes);
}

// ---- Roots ----

TEST_F(HeapDumpTest, TellsWhereStaticRootsLie) {
  static_root = static_cast<void**>(GC_malloc(64));
  const DumpContents dump = dumped();
  bool is_there = false;
  for (const auto& root : dump.roots_to(static_root)) {
    is_there |= root.among.where == gc::DumpRoots::static_data && root.told.place == number_of(&static_root);
  }
  EXPECT_TRUE(is_there);
  bool is_in_file = false;
  for (const tools::DumpedObjectFile& file : dump.files) {
    for (const auto& segment : file.segments)
      is_in_file |= number_of(&static_root) - segment.address < segment.bytes && file.path.empty();
  }
  EXPECT_TRUE(is_in_file);
}

// A thread with an object that its stack alone refers to, and one in a variable of its own.
thread_local void* own_variable = nullptr;
struct Holder {
  std::atomic<std::uint64_t> hidden{0};
  std::atomic<std::uint64_t> hidden_variable{0};
  std::atomic<std::uint64_t> number{0};
  std::atomic<bool> is_over{false};

  [[gnu::noinline]] void hold() {
    void* volatile object = GC_malloc(48);
    own_variable = GC_malloc(48);
    number.store(static_cast<std::uint64_t>(gettid()));
    hidden_variable.store(~number_of(own_variable));
    hidden.store(~number_of(object));
    while (!is_over.load()) std::this_thread::yield();
    object = nullptr;
  }
};

TEST_F(HeapDumpTest, TellsWhoseStackHoldsAnObjectAndWhatItCalled) {
  GC_allow_register_threads();
  Holder holder;
  std::thread thread([&] {
    GC_stack_base base;
    GC_get_stack_base(&base);
    GC_register_my_thread(&base);
    holder.hold();
    GC_unregister_my_thread();
  });
  while (holder.hidden.load() == 0) std::this_thread::yield();
  const DumpContents dump = dumped();
  holder.is_over.store(true);
  thread.join();
  const auto* const object = reinterpret_cast<const void*>(~holder.hidden.load());
  ASSERT_NE(dump.object_at(object), nullptr);
  bool is_on_stack = false;
  for (const auto& root : dump.roots_to(object)) {
    if (root.among.where != gc::DumpRoots::stack) continue;
    is_on_stack |= root.among.thread == holder.number.load() && root.told.place < root.among.stack_end;
  }
  EXPECT_TRUE(is_on_stack);
  EXPECT_GE(dump.return_addresses.at(holder.number.load()).size(), 2U);
  bool is_variable = false;
  for (const auto& root : dump.roots_to(reinterpret_cast<const void*>(~holder.hidden_variable.load())))
    is_variable |=
        root.among.where == gc::DumpRoots::thread_locals && root.among.thread == holder.number.load();
  EXPECT_TRUE(is_variable);
}

TEST_F(HeapDumpTest, TellsWhatTheProgramPushes) {
  static std::array<void*, 2> pushed;
  static std::uint64_t hidden;
  hidden = ~number_of(GC_malloc(80));
  GC_exclude_static_roots(pushed.data(), pushed.data() + pushed.size());
  pushed[1] = reinterpret_cast<void*>(~hidden);
  GC_set_push_other_roots([] { GC_push_all(pushed.data(), pushed.data() + pushed.size()); });
  const DumpContents dump = dumped();
  GC_set_push_other_roots(nullptr);
  bool is_pushed = false;
  for (const auto& root : dump.roots_to(pushed[1])) {
    is_pushed |= root.among.where == gc::DumpRoots::pushed && root.told.place == number_of(&pushed[1]);
  }
  EXPECT_TRUE(is_pushed);
}

// ---- Files ----

TEST_F(HeapDumpTest, NamesTheProcessAndTheCollection) {
  EXPECT_EQ(GC_dump_heap(path("a%pb%nc%%d%").c_str()), 1);
  EXPECT_EQ(files(), std::set{fmt::format("a{}b{}c%d%", getpid(), GC_get_gc_no())});
}

TEST_F(HeapDumpTest, ReplacesAFileWhenItIsWhole) {
  static_root = static_cast<void**>(GC_malloc(64));
  std::ofstream(path()) << "what was there";
  EXPECT_FALSE(dumped().objects.empty());
  EXPECT_EQ(files(), std::set<std::string>{"heap"});
}

TEST_F(HeapDumpTest, SaysWhereItCannotBeWritten) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(GC_dump_heap(path("none/heap").c_str()), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            fmt::format("jackdaw: the heap dump '{}' cannot be written (No such file or directory)\n",
                        path("none/heap")));
  std::filesystem::create_directory(path("folder"));
  testing::internal::CaptureStderr();
  EXPECT_EQ(GC_dump_heap(path("folder").c_str()), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            fmt::format("jackdaw: the heap dump '{}' cannot be written (Is a directory)\n", path("folder")));
  EXPECT_EQ(files(), std::set<std::string>{"folder"});
}

TEST_F(HeapDumpTest, IsItsOwnersAlone) {
  ASSERT_EQ(GC_dump_heap(path().c_str()), 1);
  struct stat status {};
  ASSERT_EQ(stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(HeapDumpTest, FollowsNoLinkBesideItsName) {
  std::ofstream(path("other")) << "what was there";
  std::filesystem::create_symlink("other", path("heap.part"));
  EXPECT_EQ(GC_dump_heap(path().c_str()), 1);
  EXPECT_EQ(std::filesystem::file_size(path("other")), 14U);
  EXPECT_EQ(files(), (std::set<std::string>{"heap", "heap.part", "other"}));
}

TEST_F(HeapDumpTest, IsWrittenThroughALink) {
  static_root = static_cast<void**>(GC_malloc(64));
  std::ofstream(path("target")) << "what was there";
  std::filesystem::create_symlink("target", path());
  EXPECT_FALSE(dumped().objects.empty());
  EXPECT_TRUE(std::filesystem::is_symlink(path()));
  EXPECT_EQ(files(), (std::set<std::string>{"heap", "target"}));
}

TEST_F(HeapDumpTest, IsWholeBesideAnotherOfItsName) {
  make_large_heap();
  std::array<int, 4> results{};
  std::vector<std::thread> threads;
  for (int& result : results) {
    threads.emplace_back([this, &result] { result = GC_dump_heap(path().c_str()); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(results, (std::array{1, 1, 1, 1}));
  EXPECT_GE(DumpContents(path()).objects.size(), kLargeHeap);
  EXPECT_EQ(files(), std::set<std::string>{"heap"});
}

TEST_F(HeapDumpTest, LeavesNothingWhereFilesAreLimited) {
  make_large_heap();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  for (const rlim_t limit : {0U, 4096U}) {
    testing::internal::CaptureStderr();
    const rlimit little{limit, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &little);
    EXPECT_EQ(GC_dump_heap(path().c_str()), 0) << limit;
    setrlimit(RLIMIT_FSIZE, &before);
    const std::string told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(told, limit == 0 ? "" : could_not_be_written());
    EXPECT_TRUE(files().empty()) << limit;
  }
}

// Only in the child: it is forked between these events.
void refuse_memory(GC_EventType event) {
  static std::optional<AddressSpaceLimit> limit;
  if (event == GC_EVENT_MARK_END) limit.emplace(0);
  if (event == GC_EVENT_RECLAIM_START) limit.reset();
}

TEST_F(HeapDumpTest, IsNoneWhereItsChildHasNoMemory) {
  if (mark::kSanitized) GTEST_SKIP() << "the sanitizer needs addresses itself";
  make_large_heap();
  GC_set_on_collection_event(refuse_memory);
  testing::internal::CaptureStderr();
  EXPECT_EQ(GC_dump_heap(path().c_str()), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), could_not_be_written());
  GC_set_on_collection_event(nullptr);
  EXPECT_TRUE(files().empty());
}

// In a process of its own: what looks for leaks in the end starts a thread.
TEST_F(HeapDumpTest, IsNoneWhereNoProcessCanBeForked) {
  EXPECT_EXIT(
      {
        const bool is_denied = deny(SYS_clone, EAGAIN);
        _exit(is_denied && GC_dump_heap(path().c_str()) == 0 && files().empty() ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      "the heap dump '.*' could not be written: no room for it, no memory, or too many processes");
}

TEST_F(HeapDumpTest, IsNoneWhileCollectionsAreDisabled) {
  GC_disable();
  EXPECT_EQ(GC_dump_heap(path().c_str()), 0);
  GC_enable();
  EXPECT_TRUE(files().empty());
}

TEST_F(HeapDumpTest, LeavesNoChildToWaitFor) {
  EXPECT_EQ(GC_dump_heap(path().c_str()), 1);
  EXPECT_FALSE(has_child());
}

// The pipe takes less than the dump, so that the child waits for the reader.
TEST_F(HeapDumpTest, RunsNoHandlerOfTheProgramInTheChild) {
  make_large_heap();
  ASSERT_EQ(setpgid(0, 0), 0);
  ASSERT_NE(signal(SIGUSR1, [](int) {}), SIG_ERR);
  const UnreadPipe pipe(path());
  std::thread reader([&pipe] {
    while (!has_child()) std::this_thread::yield();
    EXPECT_EQ(kill(0, SIGUSR1), 0);
    pipe.read_all();
  });
  EXPECT_EQ(GC_dump_heap(path().c_str()), 0) << "the child went on after a signal that ends a process";
  reader.join();
}

// A connection of the program's ends for its other side although the child, whose pipe is full, still writes.
TEST_F(HeapDumpTest, LeavesNoFileOfTheProgramOpenInTheChild) {
  make_large_heap();
  std::array<int, 2> connection{};
  ASSERT_EQ(pipe2(connection.data(), O_CLOEXEC), 0);
  const UnreadPipe pipe(path());
  std::thread reader([&] {
    while (!has_child()) std::this_thread::yield();
    close(connection[1]);
    char byte = 0;
    EXPECT_EQ(read(connection[0], &byte, 1), 0);
    close(connection[0]);
    pipe.read_all();
  });
  EXPECT_EQ(GC_dump_heap(path().c_str()), 1) << "the child waited, and was ended";
  reader.join();
}

// The pipe is full before the dump is whole, and is never read.
TEST_F(HeapDumpTest, WaitsForABoundedTime) {
  setenv("JACKDAW_STOP_SECONDS", "1", 1);
  make_large_heap();
  const UnreadPipe pipe(path());
  testing::internal::CaptureStderr();
  EXPECT_EQ(GC_dump_heap(path().c_str()), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), could_not_be_written());
}

// ---- The environment ----

class HeapDumpByEnvironment : public HeapDumpTest {
 protected:
  void await(const std::string& name) const {
    while (files().count(name) == 0) std::this_thread::yield();
  }
};

TEST_F(HeapDumpByEnvironment, LeavesOneAtEachCollection) {
  setenv("JACKDAW_DUMP", path("%n").c_str(), 1);
  GC_init();
  GC_gcollect();
  await("1");
  EXPECT_FALSE(DumpContents(path("1")).files.empty());
  // The child has ended, or the collection leaves none.
  while (files().size() == 1) GC_gcollect();
  await(std::to_string(GC_get_gc_no()));
}

TEST_F(HeapDumpByEnvironment, LeavesOneAfterASignal) {
  setenv("JACKDAW_DUMP", path("%n").c_str(), 1);
  setenv("JACKDAW_DUMP_SIGNAL", "USR2", 1);
  GC_init();
  GC_gcollect();
  raise(SIGUSR2);
  GC_gcollect();
  GC_gcollect();
  await("2");
  EXPECT_EQ(files(), std::set<std::string>{"2"});
}

TEST_F(HeapDumpByEnvironment, LeavesOneForASignalThatCameWhileAnotherWasWritten) {
  setenv("JACKDAW_DUMP", path("%n").c_str(), 1);
  setenv("JACKDAW_DUMP_SIGNAL", "USR2", 1);
  make_large_heap();
  const std::string first = std::to_string(GC_get_gc_no() + 1);
  const UnreadPipe pipe(path(first));
  raise(SIGUSR2);
  GC_gcollect();
  raise(SIGUSR2);
  GC_gcollect();
  EXPECT_EQ(files(), std::set<std::string>{first});
  pipe.read_all();
  await_end_of_child();
  GC_gcollect();
  await(std::to_string(GC_get_gc_no()));
  await_end_of_child();
  GC_gcollect();
  EXPECT_FALSE(has_child());
  EXPECT_EQ(files().size(), 2U);
}

TEST_F(HeapDumpByEnvironment, SaysOnceThatTheyCannotBeWritten) {
  setenv("JACKDAW_DUMP", path("none/%n").c_str(), 1);
  testing::internal::CaptureStderr();
  GC_init();
  for (int i = 0; i < 3; ++i) GC_gcollect();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            fmt::format("jackdaw: the heap dump '{}' cannot be written (No such file or directory)\n",
                        path("none/1")));
}

TEST_F(HeapDumpByEnvironment, LeavesOneOfACycleThatMarksWhileTheProgramRuns) {
  setenv("JACKDAW_DUMP", path("%n").c_str(), 1);
  setenv("JACKDAW_CONCURRENT", "1", 1);
  setenv("JACKDAW_PAUSE_MS", "0", 1);
  GC_init();
  for (int i = 0; i < 1000; ++i) {
    auto* const list = static_cast<void**>(GC_malloc(16));
    *list = static_root;
    static_root = list;
  }
  while (files().empty() || files().begin()->ends_with(".part")) GC_reachable_here(GC_malloc(1000));
  const DumpContents dump(path(*files().begin()));
  std::size_t length = 0;
  for (const void* link = static_root; link != nullptr; link = *static_cast<void* const*>(link)) {
    ASSERT_NE(dump.object_at(link), nullptr);
    ++length;
  }
  EXPECT_EQ(length, 1000U);
}

}  // namespace
}  // namespace jackdaw

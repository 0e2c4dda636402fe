// A program in which one Persistent keeps 100 MiB. Writes a heap dump to the file that its argument names.
#include <jackdaw/cppgc.h>

#include <thread>

namespace {

constexpr int kRecords = 25600;

class Record : public jackdaw::GarbageCollected<Record> {
 public:
  explicit Record(Record* next) : next_(next) {}
  void Trace(jackdaw::Visitor* visitor) const { visitor->Trace(next_); }

 private:
  jackdaw::Member<Record> next_;
  [[maybe_unused]] char rest_[4000]{};  // in a slot of 4,096 bytes
};

}  // namespace

[[gnu::noinline]] jackdaw::Persistent<Record>* remember() {
  auto* const records = new jackdaw::Persistent<Record>;
  for (int i = 0; i < kRecords; ++i) *records = jackdaw::MakeGarbageCollected<Record>(records->get());
  return records;
}

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  jackdaw::Persistent<Record>* records = nullptr;
  // The stack that addresses of records stay behind on goes with its thread.
  std::thread([&] { records = remember(); }).join();
  const bool is_written = jackdaw::dump_heap(argv[1]);
  delete records;
  return is_written ? 0 : 1;
}

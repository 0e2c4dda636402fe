#include "tools/heap/hprof_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/command/input_error.h"
#include "tools/graph/hprof.h"

namespace jackdaw::tools {

namespace {

// The header of an object array with uncompressed references, as Eclipse MAT computes it.
constexpr std::uint64_t kHeaderWords = 3;
// Heap dump segments have 32-bit lengths.
constexpr std::uint64_t kMostWords = (std::uint64_t{1} << 29) - (std::uint64_t{1} << 18);
constexpr std::uint64_t kSegmentBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kArrayBytes = 1 + 8 + 4 + 4 + 8;  // without its elements
constexpr std::size_t kMostStaticFields = 65535;
// It lies above all addresses.
constexpr std::uint64_t kFirstOwnIdentifier = std::uint64_t{1} << 48;
constexpr std::uint8_t kObjectType = 2;
constexpr std::uint8_t kCharType = 5;
constexpr std::uint8_t kLongType = 11;

// Big-endian numbers.
class Bytes {
 public:
  template <class... Numbers>
  explicit Bytes(Numbers... numbers) {
    (add(numbers), ...);
  }

  template <std::unsigned_integral Number>
  Bytes& add(Number number) {
    for (std::size_t i = sizeof number; i-- > 0;) text_ += static_cast<char>(number >> (8 * i) & 0xff);
    return *this;
  }
  Bytes& add(std::string_view text) {
    text_ += text;
    return *this;
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

enum class Record : std::uint8_t {
  string = 0x01,
  load_class = 0x02,
  stack_frame = 0x04,
  stack_trace = 0x05,
  segment = 0x1c,
  end = 0x2c,
};

enum class Part : std::uint8_t {  // of a segment
  java_frame = 0x03,
  sticky_class = 0x05,
  thread = 0x08,
  class_dump = 0x20,
  instance = 0x21,
  object_array = 0x22,
  primitive_array = 0x23,
};

class HprofWriter {
 public:
  HprofWriter(const HeapView& view, OutputFile& out) : view_(view), out_(out) {}

  void write() {
    out_.write(std::string_view("JAVA PROFILE 1.0.2\0", 19));
    out_.write(Bytes(std::uint32_t{8}, std::uint64_t{0}).text());
    write_record(Record::stack_trace, Bytes(kNoTrace, std::uint32_t{0}, std::uint32_t{0}));
    add_string(kOwnHprof);
    empty_ = add_string("");
    object_class_ = add_class("java/lang/Object", 0);
    for (const char* const name : {"java/lang/Class", "java/lang/ClassLoader"})
      add_class(name, object_class_);
    add_what_visualvm_needs();
    string_class_ = add_class_with_field("java/lang/String", "value");
    thread_class_ = add_class_with_field("java/lang/Thread", "name");
    for (const NodeType& type : view_.graph().types)
      type_classes_.push_back(add_class("[L" + type.name + ";", object_class_));
    for (const auto& [where, roots] : view_.roots_by_group()) add_roots(where, roots);
    write_record(Record::segment, first_segment_);
    write_objects();
    write_record(Record::end, Bytes());
  }

 private:
  using Roots = std::span<const std::uint32_t>;
  static constexpr std::uint32_t kNoTrace = 1;

  void write_record(Record record, const Bytes& body) {
    begin_record(record, body.text().size());
    out_.write(body.text());
  }
  void begin_record(Record record, std::uint64_t bytes) {
    out_.write(
        Bytes(static_cast<std::uint8_t>(record), std::uint32_t{0}, static_cast<std::uint32_t>(bytes)).text());
  }

  std::uint64_t add_string(std::string_view text) {
    const std::uint64_t identifier = next_identifier_++;
    write_record(Record::string, Bytes(identifier).add(text));
    return identifier;
  }

  // Begins a class. Its static fields follow, and then end_class().
  std::uint64_t begin_class(const std::string& name, std::uint64_t super, std::size_t static_fields) {
    const std::uint64_t identifier = next_identifier_++;
    write_record(Record::load_class, Bytes(++classes_, identifier, kNoTrace, add_string(name)));
    first_segment_.add(static_cast<std::uint8_t>(Part::class_dump)).add(identifier).add(kNoTrace).add(super);
    for (int i = 0; i < 5; ++i) first_segment_.add(std::uint64_t{0});
    first_segment_.add(std::uint32_t{0}).add(std::uint16_t{0});
    first_segment_.add(static_cast<std::uint16_t>(static_fields));
    return identifier;
  }
  void end_class() { first_segment_.add(std::uint16_t{0}); }

  std::uint64_t add_class(const std::string& name, std::uint64_t super, Roots static_fields = {}) {
    const std::uint64_t identifier = begin_class(name, super, static_fields.size());
    for (const std::uint32_t root : static_fields)
      first_segment_.add(add_string(view_.locate_root(root))).add(kObjectType).add(target_of(root));
    end_class();
    return identifier;
  }

  // Adds a class whose instances have one reference.
  std::uint64_t add_class_with_field(const std::string& name, const std::string& field) {
    const std::uint64_t identifier = begin_class(name, object_class_, 0);
    first_segment_.add(std::uint16_t{1}).add(add_string(field)).add(kObjectType);
    return identifier;
  }

  // VisualVM takes the distance between the first class's fields for the size of a reference, and asks which
  // field is weak; it fails without them.
  void add_what_visualvm_needs() {
    begin_class("java/lang/Class$Atomic", object_class_, 2);
    first_segment_.add(add_string("annotationDataOffset")).add(kLongType).add(std::uint64_t{0});
    first_segment_.add(add_string("annotationTypeOffset")).add(kLongType).add(kReferenceBytes);
    end_class();
    const std::uint64_t reference_class = add_class_with_field("java/lang/ref/Reference", "referent");
    for (const char* const sort : {"Soft", "Weak", "Final", "Phantom"})
      add_class(fmt::format("java/lang/ref/{}Reference", sort), reference_class);
  }

  void add_roots(const std::string& where, Roots roots) {
    const DumpedHeap* const dump = view_.dump();
    if (dump != nullptr && dump->root_places[roots.front()].where == gc::DumpRoots::stack)
      return add_thread(where, roots);
    for (; !roots.empty(); roots = roots.subspan(std::min(roots.size(), kMostStaticFields))) {
      const std::uint64_t holder =
          add_class(where, object_class_, roots.first(std::min(roots.size(), kMostStaticFields)));
      first_segment_.add(static_cast<std::uint8_t>(Part::sticky_class)).add(holder);
    }
  }

  void add_thread(const std::string& name, Roots roots) {
    const std::uint64_t thread_class = add_class(name, thread_class_);
    const std::uint64_t number = view_.dump()->root_places[roots.front()].thread;
    const std::uint64_t thread = add_instance(thread_class, add_java_string(std::to_string(number)));
    const std::uint32_t serial = ++threads_;
    Bytes frames;
    std::uint32_t count = 0;
    std::optional<std::string> last;
    for (const std::uint32_t root : roots) {
      if (std::string function = view_.function_of_root(root); function != last) {
        frames.add(add_frame(function));
        ++count;
        last = std::move(function);
      }
      first_segment_.add(static_cast<std::uint8_t>(Part::java_frame)).add(target_of(root)).add(serial);
      first_segment_.add(count - 1);
    }
    write_record(Record::stack_trace, Bytes(kNoTrace + serial, serial, count).add(frames.text()));
    first_segment_.add(static_cast<std::uint8_t>(Part::thread)).add(thread).add(serial);
    first_segment_.add(kNoTrace + serial);
  }

  std::uint64_t add_instance(std::uint64_t its_class, std::uint64_t reference) {
    const std::uint64_t identifier = next_identifier_++;
    first_segment_.add(static_cast<std::uint8_t>(Part::instance)).add(identifier).add(kNoTrace);
    first_segment_.add(its_class).add(static_cast<std::uint32_t>(kReferenceBytes)).add(reference);
    return identifier;
  }

  // Adds an instance of String with an ASCII text.
  std::uint64_t add_java_string(const std::string& text) {
    const std::uint64_t letters = next_identifier_++;
    first_segment_.add(static_cast<std::uint8_t>(Part::primitive_array)).add(letters).add(kNoTrace);
    first_segment_.add(static_cast<std::uint32_t>(text.size())).add(kCharType);
    for (const char letter : text) first_segment_.add(static_cast<std::uint16_t>(letter));
    return add_instance(string_class_, letters);
  }

  // The frame belongs to the class that was added last.
  std::uint64_t add_frame(const std::string& function) {
    const std::uint64_t identifier = next_identifier_++;
    constexpr auto kUnknownLine = static_cast<std::uint32_t>(-1);
    write_record(Record::stack_frame, Bytes(identifier, add_string(function.empty() ? "unknown" : function),
                                            empty_, empty_, classes_, kUnknownLine));
    return identifier;
  }

  [[nodiscard]] std::uint64_t identifier_of(NodeId object) const {
    return view_.dump() != nullptr ? view_.dump()->addresses[object] : 8 * (std::uint64_t{object} + 1);
  }
  [[nodiscard]] std::uint64_t target_of(std::uint32_t root) const {
    return identifier_of(view_.graph().roots[root]);
  }

  [[nodiscard]] std::uint64_t words_of(NodeId object) const {
    const std::uint64_t slots = view_.graph().slots_of(object).size();
    if (slots > kMostWords)
      throw InputError(fmt::format("--to hprof: an object has {} words, of which the format can tell {}",
                                   slots, kMostWords));
    const std::uint64_t words = std::min(kMostWords, view_.graph().bytes_of(object) / kReferenceBytes);
    return std::max(slots, words - std::min(words, kHeaderWords));
  }

  // Segments are written one by one, each with its length first.
  void write_objects() {
    const std::uint64_t count = view_.graph().node_count;
    for (std::uint64_t first = 0, end = 0; first < count; first = end) {
      std::uint64_t bytes = 0;
      for (; end < count && bytes < kSegmentBytes; ++end) {
        const auto object = static_cast<NodeId>(end);
        if (view_.is_live(object)) bytes += kArrayBytes + words_of(object) * kReferenceBytes;
      }
      begin_record(Record::segment, bytes);
      for (std::uint64_t object = first; object < end; ++object) {
        if (view_.is_live(static_cast<NodeId>(object))) write_object(static_cast<NodeId>(object));
      }
    }
  }

  void write_object(NodeId object) {
    const std::uint64_t words = words_of(object);
    out_.write(Bytes(static_cast<std::uint8_t>(Part::object_array), identifier_of(object), kNoTrace,
                     static_cast<std::uint32_t>(words), type_classes_[view_.graph().type_id_of(object)])
                   .text());
    std::uint64_t next = 0;
    view_.for_each_reference(object, [&](std::size_t slot, NodeId target) {
      write_nulls(slot - next);
      out_.write(Bytes(identifier_of(target)).text());
      next = slot + 1;
    });
    write_nulls(words - next);
  }

  void write_nulls(std::uint64_t count) {
    static const std::string kNulls(4096 * kReferenceBytes, '\0');
    for (std::uint64_t bytes = count * kReferenceBytes; bytes > 0;) {
      const std::uint64_t piece = std::min<std::uint64_t>(bytes, kNulls.size());
      out_.write(std::string_view(kNulls).substr(0, piece));
      bytes -= piece;
    }
  }

  const HeapView& view_;
  OutputFile& out_;
  Bytes first_segment_;  // classes, threads and roots
  std::uint64_t next_identifier_ = kFirstOwnIdentifier;
  std::uint64_t empty_ = 0;  // a string
  std::uint64_t object_class_ = 0;
  std::uint64_t string_class_ = 0;
  std::uint64_t thread_class_ = 0;
  std::vector<std::uint64_t> type_classes_;
  std::uint32_t classes_ = 0;
  std::uint32_t threads_ = 0;
};

}  // namespace

void write_hprof(const HeapView& view, OutputFile& out) { HprofWriter(view, out).write(); }

}  // namespace jackdaw::tools

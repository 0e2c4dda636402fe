#include "gc/process/poisoning.h"

#include <cstdint>
#include <cstdlib>

#include "base/line_text.h"
#include "base/warn.h"

namespace jackdaw::gc {

constinit std::atomic<Poisoning::PlaceOf> Poisoning::place_of_{nullptr};

// The heap's lock may be held, or threads stopped.
void Poisoning::tell(const heap::Poison::Write& write) {
  base::LineText line;
  line << "JACKDAW_POISON: ";
  if (write.object == nullptr) {
    line << "the free memory at " << static_cast<const void*>(write.word) << " was written to";
  } else {
    const auto offset = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(write.word) -
                                                   reinterpret_cast<const std::byte*>(write.object));
    line << "the object at " << static_cast<const void*>(write.object) << ", of "
         << std::uint64_t{write.bytes} << " bytes, was written to after its end, at byte " << offset;
  }
  line << ", where there is now " << reinterpret_cast<const void*>(*write.word);
  const PlaceOf place_of = place_of_.load(std::memory_order_relaxed);
  const Place place = place_of == nullptr || write.object == nullptr ? Place() : place_of(write.object);
  if (place.file != nullptr)
    line << "; it was allocated at " << place.file << ":" << std::uint64_t(place.line);
  base::warn(line.text());
  std::abort();
}

}  // namespace jackdaw::gc

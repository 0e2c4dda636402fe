#include "tools/heap/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <optional>

#include "tools/command/input_error.h"
#include "tools/command/printable_name.h"

namespace jackdaw::tools {

namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x");
  if (is_hexadecimal) text.remove_prefix(2);
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, is_hexadecimal ? 16 : 10);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Whether an object is wanted.
using Wanted = std::function<bool(NodeId)>;

Wanted wanted_number(const HeapView& view, std::uint64_t number, const std::string& text) {
  const auto& identifiers = view.graph().identifiers;
  if (!identifiers.empty()) {
    if (std::ranges::find(identifiers, number) == identifiers.end())
      throw InputError(fmt::format("--why {}: no object has this number", text));
    return [&identifiers, number](NodeId object) { return identifiers[object] == number; };
  }
  if (view.dump() == nullptr) {
    if (number >= view.graph().node_count)
      throw InputError(
          fmt::format("--why {}: there are {} objects, numbered from 0", text, view.graph().node_count));
    return [number](NodeId object) { return object == number; };
  }
  const auto& addresses = view.dump()->addresses;
  for (NodeId object = 0; object < addresses.size(); ++object) {
    if (number - addresses[object] >= view.graph().bytes_of(object)) continue;
    if (!view.is_live(object)) break;
    return [object](NodeId other) { return other == object; };
  }
  throw InputError(fmt::format("--why {}: no live object is there", text));
}

Wanted wanted_type(const HeapView& view, const std::string& text) {
  std::vector<bool> is_wanted;
  for (const NodeType& type : view.graph().types)
    is_wanted.push_back(type.name.find(text) != std::string::npos);
  if (std::ranges::find(is_wanted, true) == is_wanted.end())
    throw InputError(fmt::format("--why {}: must be an address, or a part of a type's name", text));
  return [&view, is_wanted](NodeId object) { return is_wanted[view.graph().type_id_of(object)]; };
}

Why way_to(const HeapView& view, std::uint32_t node, const std::vector<std::uint32_t>& from) {
  std::vector<std::uint32_t> nodes;
  for (; node != 0; node = from[node]) nodes.push_back(node);
  Why way;
  std::optional<NodeId> last;
  for (auto next = nodes.rbegin(); next != nodes.rend(); ++next) {
    const auto object = view.object_of(*next);
    if (object) {
      const std::string reference = last ? view.name_of_reference(*last, *object) : "";
      way.steps.push_back(
          {(reference.empty() ? "" : reference + ": ") + view.describe(*object), view.is_certain(*object)});
    } else {
      const std::uint32_t root = *next - view.node_of_root(0);
      way.steps.push_back({view.describe_root(root), view.is_certain_root(root)});
    }
    last = object;
  }
  if (last) way.allocated_by = view.calls_that_allocated(*last);
  return way;
}

}  // namespace

std::vector<Why> find_why(const HeapView& view, const std::string& wanted, std::size_t most) {
  const auto number = number_in(wanted);
  const Wanted is_wanted = number ? wanted_number(view, *number, wanted) : wanted_type(view, wanted);
  std::vector<std::uint32_t> from(view.flat().size(), kNoNode);
  std::vector<std::uint32_t> queue{0};
  std::vector<Why> ways;
  from[0] = 0;
  for (std::size_t next = 0; next < queue.size() && ways.size() < (number ? 1 : most); ++next) {
    const std::uint32_t node = queue[next];
    if (const auto object = view.object_of(node); object && is_wanted(*object))
      ways.push_back(way_to(view, node, from));
    for (const std::uint32_t to : view.flat().of(node)) {
      if (from[to] != kNoNode) continue;
      from[to] = node;
      queue.push_back(to);
    }
  }
  if (ways.empty()) throw InputError(fmt::format("--why {}: nothing leads there from the roots", wanted));
  return ways;
}

std::string format_why(const std::vector<Why>& ways) {
  std::string out;
  for (const Why& way : ways) {
    if (!out.empty()) out += '\n';
    for (std::size_t i = 0; i < way.steps.size(); ++i) {
      const bool leads_on = i + 1 < way.steps.size();
      fmt::format_to(std::back_inserter(out), "{:>4}  {}{}\n", i == 0 ? "root" : std::to_string(i),
                     printable(way.steps[i].what),
                     leads_on && !way.steps[i].is_certain ? "   [any word]" : "");
    }
    for (std::size_t i = 0; i < way.allocated_by.size(); ++i) {
      fmt::format_to(std::back_inserter(out), "      {} {}\n", i == 0 ? "allocated in" : "called from",
                     printable(way.allocated_by[i]));
    }
  }
  return out;
}

}  // namespace jackdaw::tools

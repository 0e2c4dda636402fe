#include "tools/graph/hprof_names.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace jackdaw::tools {

std::string HprofNames::of_type(TypeId type) const {
  constexpr std::array<const char*, 8> kPrimitives = {"boolean[]", "char[]",  "float[]", "double[]",
                                                      "byte[]",    "short[]", "int[]",   "long[]"};
  if (type == HprofTypes::kClass) return "java.lang.Class";
  if (!types_.is_of_class(type))
    return kPrimitives[type - types_.primitive_array(HprofTypes::kFirstPrimitive)];
  const HprofClasses::ClassNumber number = types_.class_of(type);
  const std::string name = class_name(number);
  const bool is_turned = is_ours_ && types_.is_object_array(type) && name.size() > 3;
  return is_turned ? name.substr(2, name.size() - 3) : name;
}

std::string HprofNames::of_object(const Graph& graph, NodeId object) const {
  if (graph.type_id_of(object) != HprofTypes::kClass) return "";
  return fmt::format("class {}", class_name(class_at(graph, object)));
}

std::string HprofNames::of_slot(const Graph& graph, NodeId object, std::size_t slot) const {
  constexpr std::array<const char*, kFixedClassSlots> kOfClasses = {"super class", "class loader", "signers",
                                                                    "protection domain"};
  const TypeId type = graph.type_id_of(object);
  if (type == HprofTypes::kClass) {
    if (slot < kFixedClassSlots) return kOfClasses[slot];
    const HprofClasses::ClassNumber number = class_at(graph, object);
    return fmt::format("static field {}.{}", class_name(number),
                       classes_.static_name(number, slot - kFixedClassSlots));
  }
  if (slot == 0) return "class";
  if (types_.is_object_array(type)) return fmt::format("[{}]", slot - 1);
  return fmt::format(".{}", classes_.field_name(types_.class_of(type), slot - 1));
}

NodeId HprofNames::field_of(const Graph& graph, NodeId object, std::string_view field) const {
  const TypeId type = graph.type_id_of(object);
  if (!types_.is_of_class(type) || types_.is_object_array(type)) return kNullNode;
  const auto slots = graph.slots_of(object);
  // A field of the same name in a subclass comes first, and is another one.
  for (std::size_t slot = slots.size(); slot-- > 1;) {
    if (classes_.field_name(types_.class_of(type), slot - 1) == field) return slots[slot];
  }
  return kNullNode;
}

std::string HprofNames::group_of_root(std::size_t root) const {
  const Root& place = roots_[root];
  switch (place.kind) {
    case HprofRoot::jni_local:
    case HprofRoot::java_frame:
    case HprofRoot::native_stack:
    case HprofRoot::thread_block:
      return "stack of thread " + threads_.name(place.thread);
    case HprofRoot::sticky_class:
      return is_ours_ ? class_name(place.thread) : "system classes";
    case HprofRoot::thread_object:
      return "threads";
    case HprofRoot::jni_global:
      return "JNI globals";
    case HprofRoot::jni_monitor:
      return "JNI monitors";
    case HprofRoot::monitor_used:
      return "monitors in use";
    case HprofRoot::interned_string:
      return "interned strings";
    case HprofRoot::finalizing:
      return "finalization";
    case HprofRoot::debugger:
      return "the debugger";
    case HprofRoot::reference_cleanup:
      return "reference cleanup";
    case HprofRoot::vm_internal:
      return "the virtual machine";
    case HprofRoot::unknown:
      break;
  }
  return "unknown roots";
}

std::string HprofNames::place_of_root(const Graph& graph, std::size_t root) const {
  const Root& place = roots_[root];
  switch (place.kind) {
    case HprofRoot::jni_local:
    case HprofRoot::java_frame: {
      const std::string frame = threads_.frame(place.thread, place.frame, classes_, !is_ours_);
      std::string sort = place.kind == HprofRoot::jni_local ? "JNI local" : "";
      if (frame.empty()) return sort;
      return fmt::format("{}{}in the frame of {}", sort, sort.empty() ? "" : " ", frame);
    }
    case HprofRoot::sticky_class: {
      if (is_ours_) return classes_.static_name(place.thread, place.frame);
      const HprofClasses::ClassNumber number = class_at(graph, graph.roots[root]);
      return number == IdentifierIndex::kAbsent ? "" : classes_.name(number);
    }
    case HprofRoot::thread_object:
      return threads_.name(place.thread);
    default:
      return "";
  }
}

}  // namespace jackdaw::tools

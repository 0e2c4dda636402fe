// gc_cpp.h: the collector for classes of C++.
//
// Objects of classes that derive from gc are collected; those of classes that derive from gc_cleanup, or have
// a member that does, are also destroyed (their destructor called) when they are found unreachable. Anything
// else can be placed in the heap with an argument of new:
//
//   class Node : public gc {};
//   Node* a = new Node;                     // collected
//   Node* b = new (NoGC) Node;              // lives until delete, and is a root
//   int* c = new (GC) int[10];              // collected
//   char* d = new (PointerFreeGC) char[10]; // collected, not scanned
//   File* e = ::new (GC, close_it) File;    // collected; close_it(e, nullptr) is called before
//
// delete destroys and frees any of them at once. Destruction goes from the outside in, as with
// GC_register_finalizer_ignore_self: a cycle of objects with clean-up is never freed. Of an array of objects
// with clean-up only the first is destroyed, unless new is given a function for the array.
//
// Plain ::operator new is left alone, so what it allocates is not scanned. When memory runs out new throws
// std::bad_alloc; with GC_NEW_ABORTS_ON_OOM, or without exceptions, it calls GC_abort_on_oom.
//
// GC_NAMESPACE puts the classes and GCPlacement into namespace boehmgc; GC_NAME_CONFLICT leaves out the name
// GC (UseGC is its synonym); GC_ATOMIC_UNCOLLECTABLE adds PointerFreeNoGC; GC_NO_OPERATOR_NEW_ARRAY leaves
// arrays alone; GC_NO_FINALIZATION leaves out clean-up.
#ifndef GC_CPP_H
#define GC_CPP_H

#include <new>

#include "gc.h"

#ifdef GC_NAMESPACE
#define GC_NS_QUALIFY(name) boehmgc::name
#else
#define GC_NS_QUALIFY(name) name
#endif

#define GC_cdecl GC_CALLBACK
#define GC_PLACEMENT_DELETE
#if !defined(GC_NO_OPERATOR_NEW_ARRAY) && !defined(GC_OPERATOR_NEW_ARRAY)
#define GC_OPERATOR_NEW_ARRAY
#endif

// This macro is the check by which new handles a null pointer.
#if defined(GC_NEW_ABORTS_ON_OOM) || !defined(__cpp_exceptions)
#define GC_OP_NEW_OOM_CHECK(pointer)           \
  do {                                         \
    if (pointer == nullptr) GC_abort_on_oom(); \
  } while (0)
#else
#define GC_OP_NEW_OOM_CHECK(pointer)                \
  do {                                              \
    if (pointer == nullptr) throw std::bad_alloc(); \
  } while (0)
#endif

#ifdef GC_NAMESPACE
namespace boehmgc {
#endif

// Where new places an object.
enum GCPlacement {
  UseGC,  // collected
#ifndef GC_NAME_CONFLICT
  GC = UseGC,
#endif
  NoGC,           // scanned, and freed by delete alone
  PointerFreeGC,  // collected, not scanned
#ifdef GC_ATOMIC_UNCOLLECTABLE
  PointerFreeNoGC  // not scanned, and freed by delete alone
#endif
};

// A function that is called with an object that was found unreachable, and with the argument given to new.
extern "C" {
typedef void(GC_CALLBACK* GCCleanUpFunc)(void* object, void* data);
}

// Objects of classes that derive from this are collected.
class gc {
 public:
  static inline void* operator new(size_t bytes);
  static inline void* operator new(size_t bytes, GCPlacement placement);
  static inline void* operator new(size_t, void* place) GC_NOEXCEPT { return place; }
  static inline void operator delete(void* object) GC_NOEXCEPT { GC_FREE(object); }
  static inline void operator delete(void* object, GCPlacement) GC_NOEXCEPT { GC_FREE(object); }
  static inline void operator delete(void*, void*) GC_NOEXCEPT {}

#ifdef GC_OPERATOR_NEW_ARRAY
  static inline void* operator new[](size_t bytes) { return operator new(bytes); }
  static inline void* operator new[](size_t bytes, GCPlacement placement) {
    return operator new(bytes, placement);
  }
  static inline void* operator new[](size_t, void* place) GC_NOEXCEPT { return place; }
  static inline void operator delete[](void* object) GC_NOEXCEPT { GC_FREE(object); }
  static inline void operator delete[](void* object, GCPlacement) GC_NOEXCEPT { GC_FREE(object); }
  static inline void operator delete[](void*, void*) GC_NOEXCEPT {}
#endif
};

// Objects of classes that derive from this, or have a member that does, are collected and destroyed first.
// Outside the collected heap, as on a stack, it does nothing.
class gc_cleanup : public virtual gc {
 public:
  inline gc_cleanup();
  inline virtual ~gc_cleanup();

 private:
  static inline void GC_CALLBACK cleanup(void* object, void* offset);
};

#ifdef GC_NAMESPACE
}  // namespace boehmgc
#endif

// Places an object of any type. A clean-up function is called when a collected object is found unreachable,
// in place of the destructor. An object that has one must not be deleted; one that derives from gc_cleanup,
// or is not collected, must not have one.
inline void* operator new(size_t bytes, GC_NS_QUALIFY(GCPlacement) placement,
                          GC_NS_QUALIFY(GCCleanUpFunc) cleanup = nullptr, void* data = nullptr);
inline void operator delete(void* object, GC_NS_QUALIFY(GCPlacement), GC_NS_QUALIFY(GCCleanUpFunc),
                            void*) GC_NOEXCEPT;
#ifdef GC_OPERATOR_NEW_ARRAY
inline void* operator new[](size_t bytes, GC_NS_QUALIFY(GCPlacement) placement,
                            GC_NS_QUALIFY(GCCleanUpFunc) cleanup = nullptr, void* data = nullptr);
inline void operator delete[](void* object, GC_NS_QUALIFY(GCPlacement), GC_NS_QUALIFY(GCCleanUpFunc),
                              void*) GC_NOEXCEPT;
#endif

// ---- Definitions ----

#ifdef GC_NAMESPACE
namespace boehmgc {
#endif

inline void* gc::operator new(size_t bytes) {
  void* const object = GC_MALLOC(bytes);
  GC_OP_NEW_OOM_CHECK(object);
  return object;
}

inline void* gc::operator new(size_t bytes, GCPlacement placement) {
  return ::operator new(bytes, placement, nullptr, nullptr);
}

inline gc_cleanup::gc_cleanup() {
#ifndef GC_NO_FINALIZATION
  char* const start = static_cast<char*>(GC_base(this));
  if (start == nullptr) return;
  // start is the object's first address also with GC_DEBUG, so this is not the macro.
  GC_finalization_proc outer = nullptr;
  void* outer_data = nullptr;
  void* const offset = reinterpret_cast<void*>(reinterpret_cast<char*>(this) - start);
  GC_register_finalizer_ignore_self(start, &gc_cleanup::cleanup, offset, &outer, &outer_data);
  // This object is a member or a base: the enclosing object registered first, and its destructor destroys
  // this one, too.
  if (outer != nullptr) GC_register_finalizer_ignore_self(start, outer, outer_data, nullptr, nullptr);
#endif
}

inline gc_cleanup::~gc_cleanup() {
#ifndef GC_NO_FINALIZATION
  void* const start = GC_base(this);
  if (start != nullptr) GC_register_finalizer_ignore_self(start, nullptr, nullptr, nullptr, nullptr);
#endif
}

inline void GC_CALLBACK gc_cleanup::cleanup(void* object, void* offset) {
  char* const self = static_cast<char*>(object) + reinterpret_cast<ptrdiff_t>(offset);
  reinterpret_cast<gc_cleanup*>(self)->~gc_cleanup();
}

#ifdef GC_NAMESPACE
}  // namespace boehmgc
#endif

inline void* operator new(size_t bytes, GC_NS_QUALIFY(GCPlacement) placement,
                          GC_NS_QUALIFY(GCCleanUpFunc) cleanup, void* data) {
  void* object = nullptr;
  switch (placement) {
    case GC_NS_QUALIFY(UseGC):
      object = GC_MALLOC(bytes);
      break;
    case GC_NS_QUALIFY(PointerFreeGC):
      object = GC_MALLOC_ATOMIC(bytes);
      break;
#ifdef GC_ATOMIC_UNCOLLECTABLE
    case GC_NS_QUALIFY(PointerFreeNoGC):
      object = GC_MALLOC_ATOMIC_UNCOLLECTABLE(bytes);
      break;
#endif
    default:
      object = GC_MALLOC_UNCOLLECTABLE(bytes);
      break;
  }
  GC_OP_NEW_OOM_CHECK(object);
#ifndef GC_NO_FINALIZATION
  if (cleanup != nullptr && placement == GC_NS_QUALIFY(UseGC)) {
    GC_REGISTER_FINALIZER_IGNORE_SELF(object, cleanup, data, nullptr, nullptr);
  }
#else
  (void)cleanup;
  (void)data;
#endif
  return object;
}

inline void operator delete(void* object, GC_NS_QUALIFY(GCPlacement), GC_NS_QUALIFY(GCCleanUpFunc),
                            void*) GC_NOEXCEPT {
  GC_FREE(object);
}

#ifdef GC_OPERATOR_NEW_ARRAY
inline void* operator new[](size_t bytes, GC_NS_QUALIFY(GCPlacement) placement,
                            GC_NS_QUALIFY(GCCleanUpFunc) cleanup, void* data) {
  return ::operator new(bytes, placement, cleanup, data);
}

inline void operator delete[](void* object, GC_NS_QUALIFY(GCPlacement), GC_NS_QUALIFY(GCCleanUpFunc),
                              void*) GC_NOEXCEPT {
  GC_FREE(object);
}
#endif

#endif  // GC_CPP_H

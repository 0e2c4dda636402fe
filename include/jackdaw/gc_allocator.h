// gc_allocator.h: allocators for the containers of the standard library.
//
//   std::vector<Node*, gc_allocator<Node*>> v;          // its memory is collected
//   std::list<Node*, traceable_allocator<Node*>> roots; // its memory is freed as ever, and scanned as a root
//
// A container with gc_allocator must itself lie where the collector looks. Elements are not destroyed when
// the memory is collected. When memory runs out, allocate throws std::bad_alloc; with GC_NEW_ABORTS_ON_OOM,
// or without exceptions, it calls GC_abort_on_oom.
#ifndef GC_ALLOCATOR_H
#define GC_ALLOCATOR_H

#include <new>
#include <utility>

#include "gc.h"

#if defined(GC_NEW_ABORTS_ON_OOM) || !defined(__cpp_exceptions)
#define GC_ALLOCATOR_THROW_OR_ABORT() GC_abort_on_oom()
#else
#define GC_ALLOCATOR_THROW_OR_ABORT() throw std::bad_alloc()
#endif

// These traits say which types hold no pointers. A program declares its own by GC_DECLARE_PTRFREE(type) at
// namespace level.
struct GC_true_type {};
struct GC_false_type {};

template <class Type>
struct GC_type_traits {
  GC_false_type GC_is_ptr_free;
};

#define GC_DECLARE_PTRFREE(type) \
  template <>                    \
  struct GC_type_traits<type> {  \
    GC_true_type GC_is_ptr_free; \
  }

GC_DECLARE_PTRFREE(char);
GC_DECLARE_PTRFREE(signed char);
GC_DECLARE_PTRFREE(unsigned char);
GC_DECLARE_PTRFREE(short);
GC_DECLARE_PTRFREE(unsigned short);
GC_DECLARE_PTRFREE(int);
GC_DECLARE_PTRFREE(unsigned int);
GC_DECLARE_PTRFREE(long);
GC_DECLARE_PTRFREE(unsigned long);
GC_DECLARE_PTRFREE(float);
GC_DECLARE_PTRFREE(double);
GC_DECLARE_PTRFREE(long double);

// These return collected memory for objects with pointers (GC_false_type) or without.
inline void* GC_selective_alloc(size_t bytes, GC_false_type, bool ignore_off_page) {
  void* const memory = ignore_off_page ? GC_MALLOC_IGNORE_OFF_PAGE(bytes) : GC_MALLOC(bytes);
  if (memory == nullptr) GC_ALLOCATOR_THROW_OR_ABORT();
  return memory;
}

inline void* GC_selective_alloc(size_t bytes, GC_true_type, bool ignore_off_page) {
  void* const memory = ignore_off_page ? GC_MALLOC_ATOMIC_IGNORE_OFF_PAGE(bytes) : GC_MALLOC_ATOMIC(bytes);
  if (memory == nullptr) GC_ALLOCATOR_THROW_OR_ABORT();
  return memory;
}

namespace gc_allocator_detail {

// The base of the allocators. Obtain<Type>::bytes(n) returns memory or throws.
template <class Type, template <class> class Obtain>
class Base {
 public:
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef Type* pointer;
  typedef const Type* const_pointer;
  typedef Type& reference;
  typedef const Type& const_reference;
  typedef Type value_type;

  pointer address(reference element) const { return &element; }
  const_pointer address(const_reference element) const { return &element; }

  size_type max_size() const GC_NOEXCEPT { return static_cast<size_type>(-1) / sizeof(Type); }

  pointer allocate(size_type count, const void* = nullptr) {
    if (count > max_size()) GC_ALLOCATOR_THROW_OR_ABORT();
    return static_cast<pointer>(Obtain<Type>::bytes(count * sizeof(Type)));
  }

  void deallocate(pointer memory, size_type) GC_NOEXCEPT { GC_FREE(memory); }

  template <class Element, class... Arguments>
  void construct(Element* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) Element(std::forward<Arguments>(arguments)...);
  }

  template <class Element>
  void destroy(Element* element) {
    element->~Element();
  }
};

template <class Type>
struct Collected {
  static void* bytes(size_t count) {
    return GC_selective_alloc(count, GC_type_traits<Type>().GC_is_ptr_free, false);
  }
};

template <class Type>
struct CollectedBig {
  static void* bytes(size_t count) {
    return GC_selective_alloc(count, GC_type_traits<Type>().GC_is_ptr_free, true);
  }
};

template <class>
struct Traced {
  static void* bytes(size_t count) {
    void* const memory = GC_MALLOC_UNCOLLECTABLE(count);
    if (memory == nullptr) GC_ALLOCATOR_THROW_OR_ABORT();
    return memory;
  }
};

// The base of the allocators of void.
struct VoidBase {
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef void* pointer;
  typedef const void* const_pointer;
  typedef void value_type;
};

}  // namespace gc_allocator_detail

// Defines an allocator, its form for void, and its comparisons: all allocators of a name are equal.
#define GC_DEFINE_ALLOCATOR(name, obtain)                                            \
  template <class Type>                                                              \
  class name : public gc_allocator_detail::Base<Type, gc_allocator_detail::obtain> { \
   public:                                                                           \
    template <class Other>                                                           \
    struct rebind {                                                                  \
      typedef name<Other> other;                                                     \
    };                                                                               \
    name() GC_NOEXCEPT {}                                                            \
    template <class Other>                                                           \
    name(const name<Other>&) GC_NOEXCEPT {}                                          \
  };                                                                                 \
  template <>                                                                        \
  class name<void> : public gc_allocator_detail::VoidBase {                          \
   public:                                                                           \
    template <class Other>                                                           \
    struct rebind {                                                                  \
      typedef name<Other> other;                                                     \
    };                                                                               \
    name() GC_NOEXCEPT {}                                                            \
    template <class Other>                                                           \
    name(const name<Other>&) GC_NOEXCEPT {}                                          \
  };                                                                                 \
  template <class One, class Other>                                                  \
  inline bool operator==(const name<One>&, const name<Other>&) GC_NOEXCEPT {         \
    return true;                                                                     \
  }                                                                                  \
  template <class One, class Other>                                                  \
  inline bool operator!=(const name<One>&, const name<Other>&) GC_NOEXCEPT {         \
    return false;                                                                    \
  }                                                                                  \
  static_assert(true, "a semicolon follows")

// Allocates collected memory. Types that are declared to hold no pointers are not scanned.
GC_DEFINE_ALLOCATOR(gc_allocator, Collected);

// Allocates collected memory, with the promise of GC_malloc_ignore_off_page.
GC_DEFINE_ALLOCATOR(gc_allocator_ignore_off_page, CollectedBig);

// Allocates memory that only the container frees, and that is scanned as a root.
GC_DEFINE_ALLOCATOR(traceable_allocator, Traced);

#undef GC_DEFINE_ALLOCATOR

#endif  // GC_ALLOCATOR_H

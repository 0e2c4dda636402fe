/*
 * gc.h: Jackdaw as a C library, under the names of libgc 8.2 (the Boehm-Demers-Weiser collector), and with
 * those that 8.3 adds.
 *
 * A program that was written for libgc includes this header instead of libgc's and links Jackdaw. What is
 * declared here is offered; what is not offered is not declared, so its use fails to compile or to link. No
 * function quietly does nothing, except where its comment says so (mostly details of incremental collection,
 * which the interface has always allowed a collector to ignore). docs/c-interface.md lists every name, and
 * what differs from libgc.
 *
 * Contents
 *   1. Version, platform and attributes
 *   2. Types and results
 *   3. Starting and ending
 *   4. Allocation
 *   5. Allocation with checks
 *   6. Macros that choose between the two
 *   7. Questions about addresses and objects
 *   8. Finalizers
 *   9. Links that disappear, toggle references, hidden pointers
 *  10. The lock, and keeping objects reachable
 *  11. Roots and displacements
 *  12. Collecting
 *  13. When to collect, and how much memory to take
 *  14. Incremental collection
 *  15. Hooks
 *  16. Statistics and dumps
 *  17. Threads and stacks
 *  18. fork
 *  19. Calls of the thread library that the collector stands in for
 *  20. Checked pointer arithmetic and stores
 *  21. Public variables
 *  22. GC_INIT
 *
 * "The lock" is the collector's one allocation lock: it is not recursive, and a function that takes it must
 * not be called by a thread that has it. Unless a comment says otherwise a function may be called from any
 * registered thread, takes the lock when it needs it, and counts in bytes. A setting has a function that sets
 * it (GC_set_...) and one that reads it (GC_get_...); "not synchronised" means that neither takes the lock,
 * so a program with several threads calls them before it starts the second, or through
 * GC_call_with_alloc_lock.
 *
 * Names of parameters are comments, so that no macro of a program can get at them.
 */
#ifndef GC_H
#define GC_H

/* ---- 1. Version, platform and attributes ------------------------------------------------------------- */

/* The release of libgc that this stands in for: a program that was compiled with its headers may compare them
   with GC_get_version. Names of later releases are here, too; JACKDAW_GC tells that the header is Jackdaw's.
 */
#define GC_VERSION_MAJOR 8
#define GC_VERSION_MINOR 2
#define GC_VERSION_MICRO 2
#define JACKDAW_GC 1

/* Threads: define GC_THREADS before including this header in a program with several threads. The names that
   ask for a certain system's threads mean the same. */
#if !defined(GC_THREADS) && (defined(GC_LINUX_THREADS) || defined(LINUX_THREADS))
#define GC_THREADS
#endif
#ifdef GC_THREADS
#ifndef GC_LINUX_THREADS
#define GC_LINUX_THREADS
#endif
#undef GC_PTHREADS
#define GC_PTHREADS
#ifndef _REENTRANT
#define _REENTRANT 1
#endif
#endif

/* The old spelling of GC_USE_LD_WRAP (section 19). */
#if defined(USE_LD_WRAP) && !defined(GC_USE_LD_WRAP)
#define GC_USE_LD_WRAP
#endif

#include <stddef.h>

#ifdef GC_PTHREADS
#include <pthread.h>
#ifndef GC_NO_DLOPEN
#include <dlfcn.h>
#endif
#ifndef GC_NO_PTHREAD_SIGMASK
#include <signal.h>
#endif
#endif

/* True when the compiler understands what GCC understood in version major.minor. */
#if defined(__GNUC__) && defined(__GNUC_MINOR__)
#define GC_GNUC_PREREQ(major, minor) \
  (__GNUC__ > (major) || (__GNUC__ == (major) && __GNUC_MINOR__ >= (minor)))
#else
#define GC_GNUC_PREREQ(major, minor) 0
#endif

/* GC_API starts every declaration; GC_CALL and GC_CALLBACK name the calling convention of the collector's
   functions and of functions that it is given. There is but one here; a program may define them first.
   GC_BUILD is for the library alone, which hides what it does not say that it offers. */
#ifndef GC_API
#ifdef GC_BUILD
#define GC_API extern __attribute__((__visibility__("default")))
#else
#define GC_API extern
#endif
#endif
#ifndef GC_CALL
#define GC_CALL
#endif
#ifndef GC_CALLBACK
#define GC_CALLBACK GC_CALL
#endif

/* What the compiler is told. A program may define any of these first. GC_OOM_FUNC_RETURNS_ALIAS says that its
   out-of-memory function hands out memory that is in use elsewhere. */
#ifndef GC_ATTR_MALLOC
#if GC_GNUC_PREREQ(3, 1) && !defined(GC_OOM_FUNC_RETURNS_ALIAS)
#define GC_ATTR_MALLOC __attribute__((__malloc__))
#else
#define GC_ATTR_MALLOC
#endif
#endif

#ifndef GC_ATTR_ALLOC_SIZE
#if GC_GNUC_PREREQ(4, 3) || defined(__clang__)
#define GC_ATTR_ALLOC_SIZE(argument) __attribute__((__alloc_size__(argument)))
#else
#define GC_ATTR_ALLOC_SIZE(argument)
#endif
#endif

#ifndef GC_ATTR_CALLOC_SIZE
#if GC_GNUC_PREREQ(4, 3) || defined(__clang__)
#define GC_ATTR_CALLOC_SIZE(count, size) __attribute__((__alloc_size__(count, size)))
#else
#define GC_ATTR_CALLOC_SIZE(count, size)
#endif
#endif

#if GC_GNUC_PREREQ(4, 0)
#ifndef GC_ATTR_NONNULL
#define GC_ATTR_NONNULL(argument) __attribute__((__nonnull__(argument)))
#endif
#ifndef GC_ATTR_CONST
#define GC_ATTR_CONST __attribute__((__const__))
#endif
#ifndef GC_ATTR_DEPRECATED
#define GC_ATTR_DEPRECATED __attribute__((__deprecated__))
#endif
#else
#ifndef GC_ATTR_NONNULL
#define GC_ATTR_NONNULL(argument)
#endif
#ifndef GC_ATTR_CONST
#define GC_ATTR_CONST
#endif
#ifndef GC_ATTR_DEPRECATED
#define GC_ATTR_DEPRECATED
#endif
#endif

/* The C++ keywords explicit and noexcept. */
#ifdef __cplusplus
#ifndef GC_ATTR_EXPLICIT
#define GC_ATTR_EXPLICIT explicit
#endif
#ifndef GC_NOEXCEPT
#if __cplusplus >= 201103L
#define GC_NOEXCEPT noexcept
#else
#define GC_NOEXCEPT throw()
#endif
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 2. Types and results ---------------------------------------------------------------------------- */

/* Integers as wide as a pointer. */
typedef unsigned long GC_word;
typedef long GC_signed_word;
typedef GC_word GC_uintptr_t;

/* An old name of void *. */
typedef void* GC_PTR;

/* Results of functions that return int, where their comments say so. */
#define GC_SUCCESS 0
#define GC_DUPLICATE 1     /* it was registered already */
#define GC_NO_THREADS 2    /* never returned; kept for programs that test for it */
#define GC_NO_MEMORY 2     /* memory ran out */
#define GC_UNIMPLEMENTED 3 /* not possible on this system */
#define GC_NOT_FOUND 4     /* it was not registered */

/* A function of the program that the collector calls with the program's own argument. */
typedef void*(GC_CALLBACK* GC_fn_type)(void* /* client_data */);

/* ---- 3. Starting and ending -------------------------------------------------------------------------- */

/* The version of the library: major << 16 | minor << 8 | micro, of the interface that it offers. */
GC_API unsigned GC_CALL GC_get_version(void);

/* Sets up the collector; later calls do nothing. Must be called on the main thread, best through GC_INIT
   (section 22). The first allocation calls it, too. Aborts when memory for the heap cannot be had. */
GC_API void GC_CALL GC_init(void);

/* Nonzero when GC_init was called, also while it still runs. */
GC_API int GC_CALL GC_is_init_called(void);

/* Ends the collector's own threads. Nothing of the collector may be used afterwards; a second call does
   nothing. */
GC_API void GC_CALL GC_deinit(void);

/* ---- 4. Allocation ----------------------------------------------------------------------------------- */

/* All of these return memory aligned to 16 bytes, or what the out-of-memory function returns (null, unless
   the program sets one: GC_set_oom_fn). A size of 0 gives an object of the smallest size. */

/* An object that is scanned for pointers and freed when nothing reaches it. It is cleared. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc(size_t /* bytes */) GC_ATTR_ALLOC_SIZE(1);

/* An object without pointers: freed like any other, but never scanned. It is not cleared. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc_atomic(size_t /* bytes */) GC_ATTR_ALLOC_SIZE(1);

/* An object that lives until GC_free and is scanned as a root. It is cleared. Its size is counted in
   GC_get_non_gc_bytes. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc_uncollectable(size_t /* bytes */) GC_ATTR_ALLOC_SIZE(1);

/* An object without pointers that lives until GC_free. It is not cleared. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc_atomic_uncollectable(size_t /* bytes */) GC_ATTR_ALLOC_SIZE(1);

/* As GC_malloc and GC_malloc_atomic, for big objects. The caller promises that while the object is in use a
   pointer to one of its first 256 bytes is kept; the collector may then ignore pointers further inside. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc_ignore_off_page(size_t /* bytes */) GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc_atomic_ignore_off_page(size_t /* bytes */)
    GC_ATTR_ALLOC_SIZE(1);

/* The same as GC_malloc. */
GC_API void* GC_CALL GC_malloc_stubborn(size_t /* bytes */) GC_ATTR_DEPRECATED;

/* As GC_malloc, at a multiple of alignment, which is a power of two. GC_posix_memalign stores the object at
   memptr and returns 0, or EINVAL or ENOMEM. GC_memalign takes any alignment: of up to 16 all objects have
   it; at a multiple of what is no power of two the object is not to be freed or resized by hand. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_memalign(size_t /* alignment */, size_t /* bytes */)
    GC_ATTR_ALLOC_SIZE(2);
GC_API int GC_CALL GC_posix_memalign(void** /* memptr */, size_t /* alignment */, size_t /* bytes */)
    GC_ATTR_NONNULL(1);

/* As GC_memalign, at a multiple of the system's pages; the second is whole pages long. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_valloc(size_t /* bytes */) GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_pvalloc(size_t /* bytes */) GC_ATTR_ALLOC_SIZE(1);

/* Makes an object longer or shorter and returns where it is now: in place if it can, else as a copy, with the
   old one freed. The kind (scanned, uncollectable, ...) stays; bytes that are new are cleared if the object
   is scanned. With a null object it is GC_malloc; with a size of 0 it frees the object and returns null. When
   memory runs out it returns null and the object is as it was. */
GC_API void* GC_CALL GC_realloc(void* /* object */, size_t /* bytes */) GC_ATTR_ALLOC_SIZE(2);

/* The same, but frees the object when memory runs out. */
GC_API void* GC_CALL GC_reallocf(void* /* object */, size_t /* bytes */) GC_ATTR_ALLOC_SIZE(2);

/* Frees an object now, given its first address; null is allowed. Nothing checks that it is unused. It should
   have no finalizer and hold no registered link. */
GC_API void GC_CALL GC_free(void* /* object */);

/* The same, but clears the object's first bytes before; all of it when it has no more. */
GC_API void GC_CALL GC_freezero(void* /* object */, size_t /* bytes */);

/* Not to be called. A heap profiler defines a function of its own by this name, in the program or in a
   library that is loaded before this one, and it is called with the first address of each object that GC_free
   or a collection frees, but of none with a disclaim procedure. It may not use the heap. */
GC_API void GC_CALLBACK GC_free_profiler_hook(void* /* object */);

/* Copies of strings, as objects without pointers. GC_strndup copies at most count characters and ends the
   copy with a null character. A null string gives null in GC_strdup. */
GC_API GC_ATTR_MALLOC char* GC_CALL GC_strdup(const char* /* string */);
GC_API GC_ATTR_MALLOC char* GC_CALL GC_strndup(const char* /* string */, size_t /* count */)
    GC_ATTR_NONNULL(1);
#ifdef GC_REQUIRE_WCSDUP
GC_API GC_ATTR_MALLOC wchar_t* GC_CALL GC_wcsdup(const wchar_t* /* string */) GC_ATTR_NONNULL(1);
#endif

/* Several objects of one size at once, as GC_malloc makes them: a list, linked through the first word of each
   and ended by null. The list must stay reachable from its first object. GC_NEXT is the link, as an
   lvalue. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_malloc_many(size_t /* bytes */);
#define GC_NEXT(object) (*(void**)(object))

/* ---- 5. Allocation with checks ----------------------------------------------------------------------- */

/* These put a header with file and line before the object and a guard after its last word, which is the
   program's as a whole. A collection reports objects whose guard was overwritten, through the log;
   GC_debug_free and GC_debug_realloc report it at once.
   Pointers from these functions are not the object's first address (GC_base gives that), so they must go back
   to the functions of this section alone. Sizes, kinds and errors are those of section 4. */
#define GC_EXTRA_PARAMS const char *s, int i
#define GC_EXTRAS __FILE__, __LINE__

GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_malloc(size_t /* bytes */, GC_EXTRA_PARAMS)
    GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_malloc_atomic(size_t /* bytes */, GC_EXTRA_PARAMS)
    GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_malloc_uncollectable(size_t /* bytes */, GC_EXTRA_PARAMS)
    GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_malloc_atomic_uncollectable(size_t /* bytes */, GC_EXTRA_PARAMS)
    GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_malloc_ignore_off_page(size_t /* bytes */, GC_EXTRA_PARAMS)
    GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_malloc_atomic_ignore_off_page(size_t /* bytes */,
                                                                           GC_EXTRA_PARAMS)
    GC_ATTR_ALLOC_SIZE(1);
GC_API void* GC_CALL GC_debug_malloc_stubborn(size_t /* bytes */, GC_EXTRA_PARAMS) GC_ATTR_DEPRECATED;
GC_API void* GC_CALL GC_debug_realloc(void* /* object */, size_t /* bytes */, GC_EXTRA_PARAMS)
    GC_ATTR_ALLOC_SIZE(2);
GC_API void* GC_CALL GC_debug_reallocf(void* /* object */, size_t /* bytes */, GC_EXTRA_PARAMS)
    GC_ATTR_ALLOC_SIZE(2);
GC_API void GC_CALL GC_debug_free(void* /* object */);
GC_API void GC_CALL GC_debug_freezero(void* /* object */, size_t /* bytes */);
GC_API GC_ATTR_MALLOC char* GC_CALL GC_debug_strdup(const char* /* string */, GC_EXTRA_PARAMS);
GC_API GC_ATTR_MALLOC char* GC_CALL GC_debug_strndup(const char* /* string */, size_t /* count */,
                                                     GC_EXTRA_PARAMS) GC_ATTR_NONNULL(1);
#ifdef GC_REQUIRE_WCSDUP
GC_API GC_ATTR_MALLOC wchar_t* GC_CALL GC_debug_wcsdup(const wchar_t* /* string */, GC_EXTRA_PARAMS)
    GC_ATTR_NONNULL(1);
#endif

/* The same without file and line, with the parameters of malloc and realloc. */
GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_malloc_replacement(size_t /* bytes */) GC_ATTR_ALLOC_SIZE(1);
GC_API GC_ATTR_MALLOC void* GC_CALL GC_debug_malloc_uncollectable_replacement(size_t /* bytes */)
    GC_ATTR_ALLOC_SIZE(1);
GC_API void* GC_CALL GC_debug_realloc_replacement(void* /* object */, size_t /* bytes */)
    GC_ATTR_ALLOC_SIZE(2);
GC_API void* GC_CALL GC_debug_reallocf_replacement(void* /* object */, size_t /* bytes */)
    GC_ATTR_ALLOC_SIZE(2);

/* ---- 6. Macros that choose between the two ----------------------------------------------------------- */

/* With GC_DEBUG defined before this header is included, the macros in capitals use section 5 and the other
   functions named GC_debug_; else section 4. With GC_DEBUG_REPLACEMENT, GC_MALLOC, GC_MALLOC_UNCOLLECTABLE,
   GC_REALLOC and GC_REALLOCF use the functions that take no file and line. Choose one of them for a whole
   program. */
#ifdef GC_DEBUG
#define GC_MALLOC_ATOMIC(bytes) GC_debug_malloc_atomic(bytes, GC_EXTRAS)
#define GC_MALLOC_ATOMIC_UNCOLLECTABLE(bytes) GC_debug_malloc_atomic_uncollectable(bytes, GC_EXTRAS)
#define GC_MALLOC_IGNORE_OFF_PAGE(bytes) GC_debug_malloc_ignore_off_page(bytes, GC_EXTRAS)
#define GC_MALLOC_ATOMIC_IGNORE_OFF_PAGE(bytes) GC_debug_malloc_atomic_ignore_off_page(bytes, GC_EXTRAS)
#define GC_FREE(object) GC_debug_free(object)
#define GC_FREEZERO(object, bytes) GC_debug_freezero(object, bytes)
#define GC_STRDUP(string) GC_debug_strdup(string, GC_EXTRAS)
#define GC_STRNDUP(string, count) GC_debug_strndup(string, count, GC_EXTRAS)
#define GC_REGISTER_FINALIZER(object, fn, data, old_fn, old_data) \
  GC_debug_register_finalizer(object, fn, data, old_fn, old_data)
#define GC_REGISTER_FINALIZER_IGNORE_SELF(object, fn, data, old_fn, old_data) \
  GC_debug_register_finalizer_ignore_self(object, fn, data, old_fn, old_data)
#define GC_REGISTER_FINALIZER_NO_ORDER(object, fn, data, old_fn, old_data) \
  GC_debug_register_finalizer_no_order(object, fn, data, old_fn, old_data)
#define GC_REGISTER_FINALIZER_UNREACHABLE(object, fn, data, old_fn, old_data) \
  GC_debug_register_finalizer_unreachable(object, fn, data, old_fn, old_data)
#define GC_GENERAL_REGISTER_DISAPPEARING_LINK(link, object) \
  GC_GENERAL_REGISTER_DISAPPEARING_LINK_SAFE(link, object)
#define GC_REGISTER_LONG_LINK(link, object) GC_REGISTER_LONG_LINK_SAFE(link, object)
#define GC_TOGGLEREF_ADD(object, is_strong) GC_debug_toggleref_add(object, is_strong)
#define GC_REGISTER_DISPLACEMENT(offset) GC_debug_register_displacement(offset)
#define GC_END_STUBBORN_CHANGE(object) GC_debug_end_stubborn_change(object)
#define GC_PTR_STORE_AND_DIRTY(slot, value) GC_debug_ptr_store_and_dirty(slot, value)
#else
#define GC_MALLOC_ATOMIC(bytes) GC_malloc_atomic(bytes)
#define GC_MALLOC_ATOMIC_UNCOLLECTABLE(bytes) GC_malloc_atomic_uncollectable(bytes)
#define GC_MALLOC_IGNORE_OFF_PAGE(bytes) GC_malloc_ignore_off_page(bytes)
#define GC_MALLOC_ATOMIC_IGNORE_OFF_PAGE(bytes) GC_malloc_atomic_ignore_off_page(bytes)
#define GC_FREE(object) GC_free(object)
#define GC_FREEZERO(object, bytes) GC_freezero(object, bytes)
#define GC_STRDUP(string) GC_strdup(string)
#define GC_STRNDUP(string, count) GC_strndup(string, count)
#define GC_REGISTER_FINALIZER(object, fn, data, old_fn, old_data) \
  GC_register_finalizer(object, fn, data, old_fn, old_data)
#define GC_REGISTER_FINALIZER_IGNORE_SELF(object, fn, data, old_fn, old_data) \
  GC_register_finalizer_ignore_self(object, fn, data, old_fn, old_data)
#define GC_REGISTER_FINALIZER_NO_ORDER(object, fn, data, old_fn, old_data) \
  GC_register_finalizer_no_order(object, fn, data, old_fn, old_data)
#define GC_REGISTER_FINALIZER_UNREACHABLE(object, fn, data, old_fn, old_data) \
  GC_register_finalizer_unreachable(object, fn, data, old_fn, old_data)
#define GC_GENERAL_REGISTER_DISAPPEARING_LINK(link, object) \
  GC_general_register_disappearing_link(link, object)
#define GC_REGISTER_LONG_LINK(link, object) GC_register_long_link(link, object)
#define GC_TOGGLEREF_ADD(object, is_strong) GC_toggleref_add(object, is_strong)
#define GC_REGISTER_DISPLACEMENT(offset) GC_register_displacement(offset)
#define GC_END_STUBBORN_CHANGE(object) GC_end_stubborn_change(object)
#define GC_PTR_STORE_AND_DIRTY(slot, value) GC_ptr_store_and_dirty(slot, value)
#endif

#if defined(GC_DEBUG_REPLACEMENT)
#define GC_MALLOC(bytes) GC_debug_malloc_replacement(bytes)
#define GC_MALLOC_UNCOLLECTABLE(bytes) GC_debug_malloc_uncollectable_replacement(bytes)
#define GC_REALLOC(object, bytes) GC_debug_realloc_replacement(object, bytes)
#define GC_REALLOCF(object, bytes) GC_debug_reallocf_replacement(object, bytes)
#elif defined(GC_DEBUG)
#define GC_MALLOC(bytes) GC_debug_malloc(bytes, GC_EXTRAS)
#define GC_MALLOC_UNCOLLECTABLE(bytes) GC_debug_malloc_uncollectable(bytes, GC_EXTRAS)
#define GC_REALLOC(object, bytes) GC_debug_realloc(object, bytes, GC_EXTRAS)
#define GC_REALLOCF(object, bytes) GC_debug_reallocf(object, bytes, GC_EXTRAS)
#else
#define GC_MALLOC(bytes) GC_malloc(bytes)
#define GC_MALLOC_UNCOLLECTABLE(bytes) GC_malloc_uncollectable(bytes)
#define GC_REALLOC(object, bytes) GC_realloc(object, bytes)
#define GC_REALLOCF(object, bytes) GC_reallocf(object, bytes)
#endif

/* Clears and frees all of an object. */
#define GC_FREEZEROALL(object) GC_FREEZERO(object, ~(size_t)0)

/* Links to an object that has checks or not, by any address in it. */
#define GC_GENERAL_REGISTER_DISAPPEARING_LINK_SAFE(link, object) \
  GC_general_register_disappearing_link(link, GC_base((void*)(object)))
#define GC_REGISTER_LONG_LINK_SAFE(link, object) GC_register_long_link(link, GC_base((void*)(object)))

#if defined(GC_REQUIRE_WCSDUP) && defined(GC_DEBUG)
#define GC_WCSDUP(string) GC_debug_wcsdup(string, GC_EXTRAS)
#elif defined(GC_REQUIRE_WCSDUP)
#define GC_WCSDUP(string) GC_wcsdup(string)
#endif

/* An object of a type, as a pointer to it; null when memory runs out. */
#define GC_NEW(type) ((type*)GC_MALLOC(sizeof(type)))
#define GC_NEW_ATOMIC(type) ((type*)GC_MALLOC_ATOMIC(sizeof(type)))
#define GC_NEW_UNCOLLECTABLE(type) ((type*)GC_MALLOC_UNCOLLECTABLE(sizeof(type)))

/* Allocate an array, whose size must not overflow, and point to its first element. */
#define GC_NEW_ARRAY(type, count) ((type*)GC_MALLOC(sizeof(type) * (count)))
#define GC_NEW_ATOMIC_ARRAY(type, count) ((type*)GC_MALLOC_ATOMIC(sizeof(type) * (count)))
#define GC_NEW_UNCOLLECTABLE_ARRAY(type, count) ((type*)GC_MALLOC_UNCOLLECTABLE(sizeof(type) * (count)))

/* "Stubborn" objects, which were to change seldom, are objects like all others. */
#define GC_MALLOC_STUBBORN(bytes) GC_MALLOC(bytes)
#define GC_NEW_STUBBORN(type) GC_NEW(type)
#define GC_CHANGE_STUBBORN(object) GC_change_stubborn(object)

/* ---- 7. Questions about addresses and objects -------------------------------------------------------- */

/* The first address of the object that an address lies in, or null when it lies in none. For an object of
   section 5 that is the address of its header. Space that was freed may count as an object. Takes no lock. */
GC_API void* GC_CALL GC_base(void* /* address */);
#define GC_base_C(address) ((const void*)GC_base((void*)(address)))

/* Nonzero when the address lies in a block of the heap that holds objects, in one of them or not. Takes no
   lock. */
GC_API int GC_CALL GC_is_heap_ptr(const void* /* address */);

/* The size of the object with this first address, or 0 of null. It may be more than was asked for. Takes no
   lock. */
GC_API size_t GC_CALL GC_size(const void* /* object */);

/* ---- 8. Finalizers ----------------------------------------------------------------------------------- */

/* A function that is called with an object that nothing reaches any more, and with the data that were
   registered with it. */
typedef void(GC_CALLBACK* GC_finalization_proc)(void* /* object */, void* /* data */);

/* Registers fn to be called, once, with (object, data) after a collection has found the object unreachable; a
   null fn takes the registration back. An object has one finalizer, the last that was registered; the one
   before and its data are stored in *old_fn and *old_data, where these are not null (with the lock held; null
   if there was none; unchanged if memory for the registration ran out). What data reaches is kept until then.
   object is an object's first address. If it is null or outside the heap nothing is registered and the old
   values are null. A finalizer is called from GC_invoke_finalizers, without the lock.

   The four kinds differ in what holds a finalizer back.
     GC_register_finalizer: any other object with a finalizer that reaches this one. Objects are finalized
   from the outside in, in one collection after another; a cycle of them, or an object that reaches itself, is
       never finalized and never freed.
     ..._ignore_self: the same, but pointers from the object to itself do not count.
     ..._no_order: nothing.
     ..._unreachable: any object with a finalizer of whatever kind that reaches this one, so that it is called
       when no other finalizer can bring the object back. Needs GC_set_java_finalization(1). */
GC_API void GC_CALL GC_register_finalizer(void* /* object */, GC_finalization_proc /* fn */, void* /* data */,
                                          GC_finalization_proc* /* old_fn */, void** /* old_data */)
    GC_ATTR_NONNULL(1);
GC_API void GC_CALL GC_register_finalizer_ignore_self(void* /* object */, GC_finalization_proc /* fn */,
                                                      void* /* data */, GC_finalization_proc* /* old_fn */,
                                                      void** /* old_data */) GC_ATTR_NONNULL(1);
GC_API void GC_CALL GC_register_finalizer_no_order(void* /* object */, GC_finalization_proc /* fn */,
                                                   void* /* data */, GC_finalization_proc* /* old_fn */,
                                                   void** /* old_data */) GC_ATTR_NONNULL(1);
GC_API void GC_CALL GC_register_finalizer_unreachable(void* /* object */, GC_finalization_proc /* fn */,
                                                      void* /* data */, GC_finalization_proc* /* old_fn */,
                                                      void** /* old_data */) GC_ATTR_NONNULL(1);

/* The same for objects of section 5. */
GC_API void GC_CALL GC_debug_register_finalizer(void* /* object */, GC_finalization_proc /* fn */,
                                                void* /* data */, GC_finalization_proc* /* old_fn */,
                                                void** /* old_data */) GC_ATTR_NONNULL(1);
GC_API void GC_CALL GC_debug_register_finalizer_ignore_self(void* /* object */, GC_finalization_proc /* fn */,
                                                            void* /* data */,
                                                            GC_finalization_proc* /* old_fn */,
                                                            void** /* old_data */) GC_ATTR_NONNULL(1);
GC_API void GC_CALL GC_debug_register_finalizer_no_order(void* /* object */, GC_finalization_proc /* fn */,
                                                         void* /* data */, GC_finalization_proc* /* old_fn */,
                                                         void** /* old_data */) GC_ATTR_NONNULL(1);
GC_API void GC_CALL GC_debug_register_finalizer_unreachable(void* /* object */, GC_finalization_proc /* fn */,
                                                            void* /* data */,
                                                            GC_finalization_proc* /* old_fn */,
                                                            void** /* old_data */) GC_ATTR_NONNULL(1);

/* Nonzero when finalizers wait to be called. Takes no lock. */
GC_API int GC_CALL GC_should_invoke_finalizers(void);

/* Calls all finalizers that wait, on this thread, and returns how many it called. Allocations call it, too,
   unless GC_set_finalize_on_demand(1). */
GC_API int GC_CALL GC_invoke_finalizers(void);

/* How many it calls at most, the others being left to the next call; 0, as at first: all. */
GC_API void GC_CALL GC_set_interrupt_finalizers(unsigned);
GC_API unsigned GC_CALL GC_get_interrupt_finalizers(void);

/* Nonzero: finalizers are called from GC_invoke_finalizers alone. 0 at first. Not synchronised. */
GC_API void GC_CALL GC_set_finalize_on_demand(int);
GC_API int GC_CALL GC_get_finalize_on_demand(void);

/* Nonzero: what objects with finalizers reach is marked after all else, so that finalizers without order find
   their objects whole, and ..._unreachable works. 0 at first. Not synchronised. */
GC_API void GC_CALL GC_set_java_finalization(int);
GC_API int GC_CALL GC_get_java_finalization(void);

/* A function that is called, at most once a collection and without the lock, when finalizers wait and are
   only called on demand; typically it wakes a thread that calls GC_invoke_finalizers. Null: none. */
typedef void(GC_CALLBACK* GC_finalizer_notifier_proc)(void);
GC_API void GC_CALL GC_set_finalizer_notifier(GC_finalizer_notifier_proc);
GC_API GC_finalizer_notifier_proc GC_CALL GC_get_finalizer_notifier(void);

/* A function that is called, with the lock held, for each object whose finalizer begins to wait. Null:
   none. */
typedef void(GC_CALLBACK* GC_await_finalize_proc)(void* /* object */);
GC_API void GC_CALL GC_set_await_finalize_proc(GC_await_finalize_proc);
GC_API GC_await_finalize_proc GC_CALL GC_get_await_finalize_proc(void);

/* ---- 9. Links that disappear, toggle references, hidden pointers ------------------------------------- */

/* A link is a word that a collection sets to null when an object is found unreachable: a weak pointer. A link
   inside a scanned object keeps its object alive unless it is hidden (below) or lies where the collector does
   not look, as in an object without pointers. To read a weak pointer, hold the lock.

   Registers *link to be cleared when object (a first address) is found unreachable, before its finalizer and
   those of what it reaches are chosen. Returns GC_SUCCESS; GC_DUPLICATE when link was registered already
   (then it is now registered with this object alone); GC_NO_MEMORY. A registration ends when it is taken
   back, when the link was cleared and when the object that contains the link is collected. */
GC_API int GC_CALL GC_general_register_disappearing_link(void** /* link */, const void* /* object */)
    GC_ATTR_NONNULL(1) GC_ATTR_NONNULL(2);

/* The same for a link inside the very object: a pointer that should not count in the order of finalizers. */
GC_API int GC_CALL GC_register_disappearing_link(void** /* link */) GC_ATTR_NONNULL(1);

/* Moves a registration to another word, whose contents stay. Returns GC_SUCCESS, GC_DUPLICATE when new_link
   is another registered link, GC_NOT_FOUND when link is none. */
GC_API int GC_CALL GC_move_disappearing_link(void** /* link */, void** /* new_link */) GC_ATTR_NONNULL(2);

/* Takes a registration back. Returns 1, or 0 when there was none. */
GC_API int GC_CALL GC_unregister_disappearing_link(void** /* link */);

/* Long links: cleared when the object is about to be freed, after all finalizers that could bring it back. */
GC_API int GC_CALL GC_register_long_link(void** /* link */, const void* /* object */) GC_ATTR_NONNULL(1)
    GC_ATTR_NONNULL(2);
GC_API int GC_CALL GC_move_long_link(void** /* link */, void** /* new_link */) GC_ATTR_NONNULL(2);
GC_API int GC_CALL GC_unregister_long_link(void** /* link */);

/* Toggle references: the collector holds a list of objects, each strongly or weakly, and asks a function of
   the program before every collection, with the lock held, how each should be held from now on. */
typedef enum { GC_TOGGLE_REF_DROP, GC_TOGGLE_REF_STRONG, GC_TOGGLE_REF_WEAK } GC_ToggleRefStatus;
typedef GC_ToggleRefStatus(GC_CALLBACK* GC_toggleref_func)(void* /* object */);
GC_API void GC_CALL GC_set_toggleref_func(GC_toggleref_func);
GC_API GC_toggleref_func GC_CALL GC_get_toggleref_func(void);

/* Puts an object on that list. Returns GC_SUCCESS (also when no function is set; then it does nothing), or
   GC_NO_MEMORY. The second is for objects of section 5; the function gets their first address all the same.
 */
GC_API int GC_CALL GC_toggleref_add(void* /* object */, int /* is_strong */) GC_ATTR_NONNULL(1);
GC_API int GC_CALL GC_debug_toggleref_add(void* /* object */, int /* is_strong */) GC_ATTR_NONNULL(1);

/* A pointer as a word that the collector does not take for one, and back. Reveal with the lock held, else the
   object may be gone. */
typedef GC_word GC_hidden_pointer;
#define GC_HIDE_POINTER(pointer) (~(GC_hidden_pointer)(pointer))
#define GC_REVEAL_POINTER(hidden) ((void*)GC_HIDE_POINTER(hidden))
/* The same by a way that leaves null as it is. */
#define GC_HIDE_NZ_POINTER(pointer) ((GC_hidden_pointer)(-(GC_signed_word)(pointer)))
#define GC_REVEAL_NZ_POINTER(hidden) ((void*)GC_HIDE_NZ_POINTER(hidden))
#if defined(GC_I_HIDE_POINTERS) || defined(I_HIDE_POINTERS)
#define HIDE_POINTER(pointer) GC_HIDE_POINTER(pointer)
#define REVEAL_POINTER(hidden) GC_REVEAL_POINTER(hidden)
#endif

/* ---- 10. The lock, and keeping objects reachable ----------------------------------------------------- */

/* Calls fn(data) with the lock held and returns what it returns. fn may neither allocate nor take the
   lock. */
GC_API void* GC_CALL GC_call_with_alloc_lock(GC_fn_type /* fn */, void* /* data */) GC_ATTR_NONNULL(1);

/* The same for a function that only reads. There is one lock for those, too, which one thread has at a time:
   the last argument, whether fn writes something for a later holder, does not matter. */
#ifdef GC_THREADS
GC_API void* GC_CALL GC_call_with_reader_lock(GC_fn_type /* fn */, void* /* data */, int /* release */)
    GC_ATTR_NONNULL(1);
#else
#define GC_call_with_reader_lock(fn, data, release) ((void)(release), (fn)(data))
#endif

/* Take and give back the lock. In a program with one thread there is nothing to lock. */
#ifdef GC_THREADS
GC_API void GC_CALL GC_alloc_lock(void);
GC_API void GC_CALL GC_alloc_unlock(void);
#else
#define GC_alloc_lock() ((void)0)
#define GC_alloc_unlock() ((void)0)
#endif

/* A statement up to which the pointer counts as in use, whatever the compiler makes of the code. */
#if defined(__GNUC__)
#define GC_reachable_here(pointer) __asm__ __volatile__("" : : "r"((GC_word)(pointer)) : "memory")
#else
#define GC_reachable_here(pointer) GC_noop1_ptr((void*)(pointer))
#endif

/* Use a word or a pointer in a way that no compiler sees through. */
GC_API void GC_CALL GC_noop1(GC_word);
GC_API void GC_CALL GC_noop1_ptr(volatile void*);

/* ---- 11. Roots and displacements --------------------------------------------------------------------- */

/* Roots are registers and stacks of registered threads, the data of the program and of its libraries,
   thread-local variables, uncollectable objects and what is added here. Ranges are [low, high) and need no
   alignment. */

/* Adds a range of memory that is scanned in every collection. Ranges may overlap. */
GC_API void GC_CALL GC_add_roots(void* /* low */, void* /* high */);

/* Takes back the ranges that lie within [low, high) as a whole. */
GC_API void GC_CALL GC_remove_roots(void* /* low */, void* /* high */);

/* Takes back all ranges, also the data of the program. Libraries that are loaded come back with the next
   collection, unless GC_set_no_dls(1). */
GC_API void GC_CALL GC_clear_roots(void);

/* Says that a part of the program's data holds no pointers; it is then not scanned. */
GC_API void GC_CALL GC_exclude_static_roots(void* /* low */, void* /* high */);

/* Forgets all that was said with GC_exclude_static_roots. */
GC_API void GC_CALL GC_clear_exclusion_table(void);

/* A function that decides whether a part of a library's data is scanned (nonzero: yes). It is called with
   the lock held, perhaps with other threads stopped. Null, as at first: all are. */
typedef int(GC_CALLBACK* GC_has_static_roots_func)(const char* /* library */, void* /* start */,
                                                   size_t /* bytes */);
GC_API void GC_CALL GC_register_has_static_roots_callback(GC_has_static_roots_func);

/* Nonzero: the data of libraries are not scanned. 0 at first. Not synchronised. */
GC_API void GC_CALL GC_set_no_dls(int);
GC_API int GC_CALL GC_get_no_dls(void);

/* 1 (at first): a pointer into an object, from anywhere, keeps the object. 0: only pointers from stacks and
   registers do, those from elsewhere must point to its start or a registered displacement. Set it before
   GC_init. An address just behind an object's last byte counts as the object's where it is 1. */
GC_API void GC_CALL GC_set_all_interior_pointers(int);
GC_API int GC_CALL GC_get_all_interior_pointers(void);

/* Makes pointers that many bytes into objects count as pointers to them. Matters only where not all interior
   pointers do. The second is for objects of section 5 (offsets are from what GC_debug_malloc returned). */
GC_API void GC_CALL GC_register_displacement(size_t /* offset */);
GC_API void GC_CALL GC_debug_register_displacement(size_t /* offset */);

/* ---- 12. Collecting ---------------------------------------------------------------------------------- */

/* Collects now, with all other threads stopped. Does nothing while collections are disabled. */
GC_API void GC_CALL GC_gcollect(void);

/* The same, whatever the default stop function says, and gives all memory that is free back to the system. */
GC_API void GC_CALL GC_gcollect_and_unmap(void);

/* Jackdaw's own. Drops all collectable objects at once, without marking, and gives their memory back to the
   system: where one request ends and another begins, or before an exec. The heap works afterwards. Returns 1,
   or 0 with nothing dropped when there was no memory to begin. Collections may be disabled.

   The program promises that no thread uses any collectable object again that it had before the call, be it by
   a stack, a register, static data, memory of malloc or an uncollectable object; and that no other thread
   uses the heap during the call. Others may wait, wherever they are. An address that is left somewhere
   counts, as ever, as a reference to whatever object comes to lie there.

   Uncollectable objects stay, but not what they refer to. Weak links to dropped objects are cleared, and
   links that lie in them are forgotten. All finalizers are forgotten, also those of uncollectable objects and
   those that wait: a program that wants them called calls GC_finalize_all before. Disclaim procedures are not
   called. In leak-finding mode, what is dropped counts as leaked. */
GC_API int GC_CALL GC_drop_all_objects(void);

/* Nonzero: GC_gcollect gives free memory back to the system as well. Not synchronised. */
GC_API void GC_CALL GC_set_force_unmap_on_gcollect(int);
GC_API int GC_CALL GC_get_force_unmap_on_gcollect(void);

/* Collects unless stop_func, which is called with the lock held and perhaps with other threads stopped, says
   nonzero. It is asked at least once, before marking begins. Returns 1, or 0 when the collection was given up
   or collections are disabled. */
typedef int(GC_CALLBACK* GC_stop_func)(void);
GC_API int GC_CALL GC_try_to_collect(GC_stop_func /* stop_func */) GC_ATTR_NONNULL(1);

/* The stop function of GC_gcollect and of collections that allocation begins. At first it never stops one. */
GC_API void GC_CALL GC_set_stop_func(GC_stop_func) GC_ATTR_NONNULL(1);
GC_API GC_stop_func GC_CALL GC_get_stop_func(void);

/* If enough was allocated to make it worth while: collects and returns 0, or, where collections are
   incremental, begins one. Ends the marking of one under way when there is little left to be marked. Returns
   nonzero while one goes on. */
GC_API int GC_CALL GC_collect_a_little(void);

/* Forbid all collections, and allow them again. Calls nest. */
GC_API void GC_CALL GC_disable(void);
GC_API void GC_CALL GC_enable(void);

/* As GC_disable, after an incremental collection that is under way has ended. */
GC_API void GC_CALL GC_finish_and_disable(void);

/* Nonzero while collections are forbidden. Takes no lock. */
GC_API int GC_CALL GC_is_disabled(void);

/* Nonzero: allocation does not begin collections unless memory runs out. 0 at first. */
GC_API void GC_CALL GC_set_disable_automatic_collection(int);
GC_API int GC_CALL GC_get_disable_automatic_collection(void);

/* Nonzero: the leak-finding mode. Each collection reports objects that nothing reaches and that were not
   freed with GC_free, 40 at most, on the error output, with file and line for those of section 5, and frees
   them. There are no finalizers then, and no links. Set it before GC_init, which has the program end with a
   collection. 0 at first, or 1 where GC_FIND_LEAK is set in the environment. Not synchronised. */
GC_API void GC_CALL GC_set_find_leak(int);
GC_API int GC_CALL GC_get_find_leak(void);

/* ---- 13. When to collect, and how much memory to take ------------------------------------------------ */

/* Makes the heap larger by at least so many bytes. Returns 1, or 0 when that failed. */
GC_API int GC_CALL GC_expand_hp(size_t /* bytes */);

/* The heap never gets larger than this. 0 (at first): no limit. Not synchronised. */
GC_API void GC_CALL GC_set_max_heap_size(GC_word /* bytes */);

/* Between two collections about 1/divisor of what a collection has to trace is allocated: greater values save
   memory and cost time. 3 at first; never 0. Not synchronised. */
GC_API void GC_CALL GC_set_free_space_divisor(GC_word);
GC_API GC_word GC_CALL GC_get_free_space_divisor(void);

/* Nonzero: the heap grows only when it must or when it is told to. 0 at first. Not synchronised. */
GC_API void GC_CALL GC_set_dont_expand(int);
GC_API int GC_CALL GC_get_dont_expand(void);

/* So many collections are tried, once the heap could not grow, before memory counts as exhausted. Not
   synchronised. */
GC_API void GC_CALL GC_set_max_retries(GC_word);
GC_API GC_word GC_CALL GC_get_max_retries(void);

/* Bytes that do not count when it is decided whether to collect. Uncollectable objects change it. Not
   synchronised. */
GC_API void GC_CALL GC_set_non_gc_bytes(GC_word);
GC_API GC_word GC_CALL GC_get_non_gc_bytes(void);

/* At least so many bytes are allocated between two collections. Never 0. Not synchronised. */
GC_API void GC_CALL GC_set_min_bytes_allocd(size_t);
GC_API size_t GC_CALL GC_get_min_bytes_allocd(void);

/* The heap does not grow, but is collected, when fewer bytes than this were allocated for each finalizer
   registered since the last collection. 10000 at first; 0: finalizers do not count. Not synchronised. */
GC_API void GC_CALL GC_set_allocd_bytes_per_finalizer(GC_word);
GC_API GC_word GC_CALL GC_get_allocd_bytes_per_finalizer(void);

/* Nonzero: GC_init does not collect. It never does here, so the value is only kept. Not synchronised. */
GC_API void GC_CALL GC_set_dont_precollect(int);
GC_API int GC_CALL GC_get_dont_precollect(void);

/* Asks, before GC_init, for a heap that programs may run code from. Systems may refuse, and this one does:
   the second function always returns 0. */
GC_API void GC_CALL GC_set_pages_executable(int);
GC_API int GC_CALL GC_get_pages_executable(void);

/* ---- 14. Incremental collection ---------------------------------------------------------------------- */

/* From now on collections that allocation begins mark objects, and free them, in threads of the collector's
   while the program runs, and stop it for short pauses only. Initialises the collector. Where the system does
   not tell which pages are written, or JACKDAW_CONCURRENT=0 or GC_DISABLE_INCREMENTAL is in the environment,
   collections stop the program as before; in the first case a line on the error output says so. */
GC_API void GC_CALL GC_enable_incremental(void);

/* Begins such a collection, unless one is under way or collections are forbidden. Does nothing where they are
   not incremental. */
GC_API void GC_CALL GC_start_incremental_collection(void);

/* Nonzero when collections are incremental: after GC_enable_incremental, or by the environment. Without
   either, those that would stop the program for long may mark objects while it runs all the same; that does
   not count. Takes no lock. */
GC_API int GC_CALL GC_is_incremental_mode(void);

/* What incremental collection protects from writing, so that system calls that write there fail; here always
   GC_PROTECTS_NONE. */
#define GC_PROTECTS_NONE 0
#define GC_PROTECTS_POINTER_HEAP 1
#define GC_PROTECTS_PTRFREE_HEAP 2
#define GC_PROTECTS_STATIC_DATA 4
#define GC_PROTECTS_STACK 8
GC_API int GC_CALL GC_incremental_protection_needs(void);

/* The program shall be stopped for this long at a time at most where collections are incremental, in
   milliseconds, and in milliseconds and nanoseconds (less than a million of them, which are kept but do not
   count). It is no promise. GC_TIME_UNLIMITED, as at first, leaves it as it is: 5 ms, or as the environment
   says (JACKDAW_PAUSE_MS, GC_PAUSE_TIME_TARGET). Not synchronised. */
#define GC_TIME_UNLIMITED 999999
GC_API void GC_CALL GC_set_time_limit(unsigned long /* milliseconds */);
GC_API unsigned long GC_CALL GC_get_time_limit(void);
struct GC_timeval_s {
  unsigned long tv_ms;
  unsigned long tv_nsec;
};
GC_API void GC_CALL GC_set_time_limit_tv(struct GC_timeval_s);
GC_API struct GC_timeval_s GC_CALL GC_get_time_limit_tv(void);

/* Partial collections to each full one; pages that GC_collect_a_little works on; attempts before the world is
   stopped. Kept and read back, and matter to nothing. */
GC_API void GC_CALL GC_set_full_freq(int);
GC_API int GC_CALL GC_get_full_freq(void);
GC_API void GC_CALL GC_set_rate(int);
GC_API int GC_CALL GC_get_rate(void);
GC_API void GC_CALL GC_set_max_prior_attempts(int);
GC_API int GC_CALL GC_get_max_prior_attempts(void);

/* Whether the program itself tells what it writes, with the functions below. Kept and read back: it need
   not. */
GC_API void GC_CALL GC_set_manual_vdb_allowed(int);
GC_API int GC_CALL GC_get_manual_vdb_allowed(void);

/* Whether pages may be protected from writing so that a signal tells of writes. Kept and read back, nonzero
   at first: it is never done. */
GC_API void GC_CALL GC_set_mprotect_vdb_allowed(int);
GC_API int GC_CALL GC_get_mprotect_vdb_allowed(void);

/* By what the collector learns which pages are written. The first function gives all ways that it knows, the
   second the one in use: GC_VDB_UFFDWP is userfaultfd, asynchronously (Linux 6.7), GC_VDB_SOFT the soft-dirty
   bits, GC_VDB_NONE that collections are not incremental, or, where the environment asked for that, that
   there was none yet. Others are for other systems and programs. Either takes no lock. */
#define GC_VDB_NONE 0
#define GC_VDB_MPROTECT 0x1
#define GC_VDB_MANUAL 0x2
#define GC_VDB_DEFAULT 0x4
#define GC_VDB_GWW 0x8
#define GC_VDB_PROC 0x20
#define GC_VDB_SOFT 0x40
#define GC_VDB_UFFDWP 0x80
GC_API unsigned GC_CALL GC_get_supported_vdbs(void);
GC_API unsigned GC_CALL GC_get_actual_vdb(void);

/* Tell that an object will be, or was, changed. They do nothing. */
GC_API void GC_CALL GC_change_stubborn(const void* /* object */) GC_ATTR_DEPRECATED;
GC_API void GC_CALL GC_debug_change_stubborn(const void* /* object */) GC_ATTR_DEPRECATED;
GC_API void GC_CALL GC_end_stubborn_change(const void* /* object */) GC_ATTR_NONNULL(1);
GC_API void GC_CALL GC_debug_end_stubborn_change(const void* /* object */) GC_ATTR_NONNULL(1);

/* Store value at slot, tell that slot changed and keep value reachable up to there. The second one checks
   both pointers first, as in section 20. */
GC_API void GC_CALL GC_ptr_store_and_dirty(void* /* slot */, const void* /* value */);
GC_API void GC_CALL GC_debug_ptr_store_and_dirty(void* /* slot */, const void* /* value */);

/* ---- 15. Hooks --------------------------------------------------------------------------------------- */

/* Called, without the lock, when memory for so many bytes cannot be had, even after a collection: the
   allocation returns what it returns, null or an object. At first it returns null. Never null itself. */
typedef void*(GC_CALLBACK* GC_oom_func)(size_t /* bytes */);
GC_API void GC_CALL GC_set_oom_fn(GC_oom_func) GC_ATTR_NONNULL(1);
GC_API GC_oom_func GC_CALL GC_get_oom_fn(void);

/* Ends the program because memory ran out, through the abort function. */
GC_API void GC_CALL GC_abort_on_oom(void);

/* Called with a warning: a printf format and the one word that it prints. At first it writes to the log. */
typedef void(GC_CALLBACK* GC_warn_proc)(char* /* format */, GC_word /* argument */);
GC_API void GC_CALL GC_set_warn_proc(GC_warn_proc) GC_ATTR_NONNULL(1);
GC_API GC_warn_proc GC_CALL GC_get_warn_proc(void);

/* A warning function that writes nothing. */
GC_API void GC_CALLBACK GC_ignore_warn_proc(char* /* format */, GC_word /* argument */);

/* Called with a message before the collector aborts the program, with null before it calls exit(1). At first
   it writes the message to standard error. */
typedef void(GC_CALLBACK* GC_abort_func)(const char* /* message */);
GC_API void GC_CALL GC_set_abort_func(GC_abort_func) GC_ATTR_NONNULL(1);
GC_API GC_abort_func GC_CALL GC_get_abort_func(void);

/* The file descriptor that warnings, reports and dumps are written to. Standard error at first. */
GC_API void GC_CALL GC_set_log_fd(int /* descriptor */);

/* Called with the new size of the heap when it grows or shrinks; the lock is held, other threads may be
   stopped. Null, as at first: none. */
typedef void(GC_CALLBACK* GC_on_heap_resize_proc)(GC_word /* bytes */);
GC_API void GC_CALL GC_set_on_heap_resize(GC_on_heap_resize_proc);
GC_API GC_on_heap_resize_proc GC_CALL GC_get_on_heap_resize(void);

/* Called, with the lock held, for memory that the heap took from the system, soon after it did; null instead
   of the memory when the system refused it. Null, as at first: none. */
typedef void(GC_CALLBACK* GC_on_os_get_mem_proc)(void* /* memory */, size_t /* bytes */);
GC_API void GC_CALL GC_set_on_os_get_mem(GC_on_os_get_mem_proc);
GC_API GC_on_os_get_mem_proc GC_CALL GC_get_on_os_get_mem(void);

/* What happens in a collection, in this order but for the last two: those come with each thread that is
   stopped or goes on. */
typedef enum {
  GC_EVENT_START,
  GC_EVENT_MARK_START,
  GC_EVENT_MARK_END,
  GC_EVENT_RECLAIM_START,
  GC_EVENT_RECLAIM_END,
  GC_EVENT_END,
  GC_EVENT_PRE_STOP_WORLD,
  GC_EVENT_POST_STOP_WORLD,
  GC_EVENT_PRE_START_WORLD,
  GC_EVENT_POST_START_WORLD,
  GC_EVENT_THREAD_SUSPENDED,
  GC_EVENT_THREAD_UNSUSPENDED
} GC_EventType;

/* Called at each step of a collection, but not for single threads; the lock is held, other threads may be
   stopped, so it may neither allocate nor wait. Null, as at first: none. */
typedef void(GC_CALLBACK* GC_on_collection_event_proc)(GC_EventType);
GC_API void GC_CALL GC_set_on_collection_event(GC_on_collection_event_proc);
GC_API GC_on_collection_event_proc GC_CALL GC_get_on_collection_event(void);

/* Called, with the lock held, with GC_EVENT_THREAD_SUSPENDED or GC_EVENT_THREAD_UNSUSPENDED and the pthread_t
   of a thread. Null, as at first: none. */
#ifdef GC_THREADS
typedef void(GC_CALLBACK* GC_on_thread_event_proc)(GC_EventType, void* /* thread */);
GC_API void GC_CALL GC_set_on_thread_event(GC_on_thread_event_proc);
GC_API GC_on_thread_event_proc GC_CALL GC_get_on_thread_event(void);
#endif

/* ---- 16. Statistics and dumps ------------------------------------------------------------------------ */

/* The numbers of this section take no lock, so that hooks can ask for them; a thread that wants them to agree
   with each other uses GC_get_heap_usage_safe or GC_get_prof_stats, which take it. */

/* Collections so far. */
GC_API GC_word GC_CALL GC_get_gc_no(void);

/* The heap: all of it, less what was given back to the system; what is free in it, at least; what was given
   back and can be taken again; all that was ever taken from the system. */
GC_API size_t GC_CALL GC_get_heap_size(void);
GC_API size_t GC_CALL GC_get_free_bytes(void);
GC_API size_t GC_CALL GC_get_unmapped_bytes(void);
GC_API size_t GC_CALL GC_get_obtained_from_os_bytes(void);

/* Allocation: since the last collection; since the program began; freed by the program since the last
   collection. A thread's own blocks are counted when it takes or returns them, and what it frees a block's
   worth at a time. */
GC_API size_t GC_CALL GC_get_bytes_since_gc(void);
GC_API size_t GC_CALL GC_get_total_bytes(void);
GC_API size_t GC_CALL GC_get_expl_freed_bytes_since_gc(void);

/* Five of these at once, under the lock. Any pointer may be null. */
GC_API void GC_CALL GC_get_heap_usage_safe(GC_word* /* heap_size */, GC_word* /* free_bytes */,
                                           GC_word* /* unmapped_bytes */, GC_word* /* bytes_since_gc */,
                                           GC_word* /* total_bytes */);

/* All of them at once. */
struct GC_prof_stats_s {
  GC_word heapsize_full;             /* the heap, with what was given back to the system */
  GC_word free_bytes_full;           /* free, with what was given back */
  GC_word unmapped_bytes;            /* given back */
  GC_word bytes_allocd_since_gc;     /* allocated since the last collection */
  GC_word allocd_bytes_before_gc;    /* allocated before it; may wrap */
  GC_word non_gc_bytes;              /* as GC_get_non_gc_bytes */
  GC_word gc_no;                     /* as GC_get_gc_no; may wrap */
  GC_word markers_m1;                /* as GC_get_parallel */
  GC_word bytes_reclaimed_since_gc;  /* freed by and since the last collection, about */
  GC_word reclaimed_bytes_before_gc; /* freed before it, about; may wrap */
  GC_word expl_freed_bytes_since_gc; /* freed by the program since the last collection */
  GC_word obtained_from_os_bytes;    /* as GC_get_obtained_from_os_bytes */
};

/* Fills in the first `bytes` bytes of the structure and returns how many of them it knows; the rest is set to
   all ones. */
GC_API size_t GC_CALL GC_get_prof_stats(struct GC_prof_stats_s* /* stats */, size_t /* bytes */);
#ifdef GC_THREADS
/* The same without the lock. */
GC_API size_t GC_CALL GC_get_prof_stats_unsafe(struct GC_prof_stats_s* /* stats */, size_t /* bytes */);
#endif

/* How many bytes an object of so many bytes takes, or (size_t)-1 for objects that have no size class. */
GC_API size_t GC_CALL GC_get_size_map_at(int /* bytes */);

/* Bytes in blocks that hold objects. Takes the lock. */
GC_API size_t GC_CALL GC_get_memory_use(void);

/* Starts to add up the time that collections take; there is no end to it. Not synchronised. */
GC_API void GC_CALL GC_start_performance_measurement(void);

/* That sum, in milliseconds, and the nanoseconds beyond them, less than a million. May wrap. Not
   synchronised. */
GC_API unsigned long GC_CALL GC_get_full_gc_total_time(void);
GC_API unsigned long GC_CALL GC_get_full_gc_total_ns_frac(void);

/* The time in it during which the program was stopped and objects were marked, in milliseconds, and how long
   that took at a time on average, in nanoseconds; 0 before the first. The second takes the lock. */
GC_API unsigned long GC_CALL GC_get_stopped_mark_total_time(void);
GC_API unsigned long GC_CALL GC_get_avg_stopped_mark_time_ns(void);

/* Jackdaw's own. The processor time that the collector has taken so far, in nanoseconds: of its own threads,
   which mark, sweep and give memory back, and of the program's threads while they collect, or sweep because
   they need memory. Finalizers do not count, nor do threads that are stopped; disclaim procedures and event
   callbacks do. What a collection takes of the thread that collects counts when it is over. Takes the lock.
   In the child of a fork it begins at 0. */
GC_API unsigned long GC_CALL GC_get_processor_time_ns(void);

/* Write to the log: the state of the heap; the same under a name (null: the number of the collection) and
   without taking the lock; every block of every chunk; all links and finalizers. */
GC_API void GC_CALL GC_dump(void);
GC_API void GC_CALL GC_dump_named(const char* /* name */);
GC_API void GC_CALL GC_dump_regions(void);
GC_API void GC_CALL GC_dump_finalization(void);

/* Calls a function for each section of the heap, a chunk without its header, and then for its parts: free
   blocks, those whose memory the system has back, blocks in use, and what no object can use behind them. The
   caller holds the lock; the function may neither allocate nor free. */
typedef enum {
  GC_HEAP_SECTION_TYPE_FREE,
  GC_HEAP_SECTION_TYPE_PADDING,
  GC_HEAP_SECTION_TYPE_USED,
  GC_HEAP_SECTION_TYPE_UNMAPPED,
  GC_HEAP_SECTION_TYPE_FORWARDING, /* never told */
  GC_HEAP_SECTION_TYPE_WHOLE_SECT
} GC_heap_section_type;
typedef void(GC_CALLBACK* GC_heap_section_proc)(void* /* start */, void* /* end */, GC_heap_section_type,
                                                void* /* data */);
GC_API void GC_CALL GC_foreach_heap_section_inner(GC_heap_section_proc, void* /* data */) GC_ATTR_NONNULL(1);

/* Jackdaw's own. Collects, and writes every live object, its references and all roots to the file at path, in
   which %p stands for the process's number and %n for that of the collection (docs/heap-dump.md; JACKDAW_DUMP
   in the environment does so without a call). Returns when the file is whole: 1; or 0 when it could not be
   written, or collections are disabled. The other threads are stopped for the collection and a fork. */
GC_API int GC_CALL GC_dump_heap(const char* /* path */) GC_ATTR_NONNULL(1);

/* Jackdaw's own: profiles of allocation (docs/profile.md; JACKDAW_PROFILE in the environment takes one
   without a call). GC_start_profile has a sample taken every so many bytes on average from then on, 512 KiB
   for 0, and forgets what was sampled before. GC_stop_profile has no more taken. GC_write_profile writes what
   was allocated since the start, and what of it the last collection found alive, to the file at path, in
   which %p stands for the process's number: 1; or 0, with one line on the error output, when it could not be
   written. */
GC_API void GC_CALL GC_start_profile(size_t /* every */);
GC_API void GC_CALL GC_stop_profile(void);
GC_API int GC_CALL GC_write_profile(const char* /* path */) GC_ATTR_NONNULL(1);

/* ---- 17. Threads and stacks -------------------------------------------------------------------------- */

/* A thread that touches the heap must be registered. The main thread is, and so are threads made through
   GC_pthread_create, which section 19 puts in the place of pthread_create. Others register themselves. */

/* The cold end of a stack: where it began. */
struct GC_stack_base {
  void* mem_base;
};

/* Stores the end of this thread's stack, as the system tells it. GC_SUCCESS or GC_UNIMPLEMENTED. */
GC_API int GC_CALL GC_get_stack_base(struct GC_stack_base*) GC_ATTR_NONNULL(1);

/* Calls fn(base, argument) and returns what it returns; base is the frame of this call, which is good enough
   as the end of a stack for all that fn calls. */
typedef void*(GC_CALLBACK* GC_stack_base_func)(struct GC_stack_base*, void* /* argument */);
GC_API void* GC_CALL GC_call_with_stack_base(GC_stack_base_func /* fn */, void* /* argument */)
    GC_ATTR_NONNULL(1);

/* The end of this thread's stack that the collector uses is stored; a handle of the thread is returned. */
GC_API void* GC_CALL GC_get_my_stackbottom(struct GC_stack_base*) GC_ATTR_NONNULL(1);

/* Sets the end of a thread's stack, for coroutines. The handle is one from GC_get_my_stackbottom, or null for
   this thread. The caller holds the lock; before GC_init it is the main thread's that is set. */
GC_API void GC_CALL GC_set_stackbottom(void* /* handle */, const struct GC_stack_base*) GC_ATTR_NONNULL(2);

/* Sets a function that may change the stack pointer of a thread, for coroutines of the program's own, or
   null. It gets the pointer's address and the pthread_t. The stack is then also scanned from there on. It
   runs with the lock held and threads stopped, perhaps in a thread of the collector's. */
typedef void(GC_CALLBACK* GC_sp_corrector_proc)(void** /* pointer */, void* /* thread */);
GC_API void GC_CALL GC_set_sp_corrector(GC_sp_corrector_proc);
GC_API GC_sp_corrector_proc GC_CALL GC_get_sp_corrector(void);

/* Calls fn(data) and returns what it returns. Meanwhile collections go on without this thread: it is not
   stopped, and of its stack only what was there before the call is scanned. fn must not touch the heap,
   except in GC_call_with_gc_active, which is the way back for the time of another call. They nest. The thread
   must be registered. */
GC_API void* GC_CALL GC_do_blocking(GC_fn_type /* fn */, void* /* data */) GC_ATTR_NONNULL(1);
GC_API void* GC_CALL GC_call_with_gc_active(GC_fn_type /* fn */, void* /* data */) GC_ATTR_NONNULL(1);

/* Starts the mark threads, if they are not running. The first collection of a heap that is not small, 1 MiB,
   starts them, too; likewise in the child of a fork. */
GC_API void GC_CALL GC_start_mark_threads(void);

/* Mark threads in all, with the one that collects: set before GC_init; 0 (at first): as many as there are
   processors, or as GC_MARKERS says in the environment. Not synchronised. */
GC_API void GC_CALL GC_set_markers_count(unsigned);

/* Mark threads besides the one that collects. Takes no lock. */
GC_API int GC_CALL GC_get_parallel(void);

#ifdef GC_THREADS
/* Asks to be allowed GC_register_my_thread, which always is. */
GC_API void GC_CALL GC_allow_register_threads(void);

/* Registers this thread, with the end of its stack. GC_SUCCESS, GC_DUPLICATE when it is registered, or
   GC_NO_MEMORY. */
GC_API int GC_CALL GC_register_my_thread(const struct GC_stack_base*) GC_ATTR_NONNULL(1);

/* Takes back this thread's own registration, before the thread ends. It must not touch the heap afterwards.
   Returns GC_SUCCESS. */
GC_API int GC_CALL GC_unregister_my_thread(void);

/* Nonzero when this thread is registered. */
GC_API int GC_CALL GC_thread_is_registered(void);

/* Tells the bounds of this thread's stack and of its alternate signal stack, so that it can be stopped while
   it runs on the latter. The collector finds out both by itself: nothing needs to be done. */
GC_API void GC_CALL GC_register_altstack(void* /* stack */, GC_word /* stack_bytes */, void* /* altstack */,
                                         GC_word /* altstack_bytes */);

/* The signals that stop threads, by default SIGURG, and let them go on: set before GC_init, later without
   effect. The second is only kept: threads go on without a signal. A program may also handle, ignore or reset
   the first: then another stops threads. A thread that blocks or takes it makes collections wait a little
   longer, once. */
GC_API void GC_CALL GC_set_suspend_signal(int);
GC_API int GC_CALL GC_get_suspend_signal(void);
GC_API void GC_CALL GC_set_thr_restart_signal(int);
GC_API int GC_CALL GC_get_thr_restart_signal(void);

/* Stop all other threads and let them go on. The lock is held in between. */
GC_API void GC_CALL GC_stop_world_external(void);
GC_API void GC_CALL GC_start_world_external(void);
#endif

/* ---- 18. fork ---------------------------------------------------------------------------------------- */

/* A child that uses the heap after fork needs the collector's preparation. Before GC_init: 1 has it done with
   pthread_atfork; -1 says that the program does it with the three calls below, around each fork; 0 says that
   no child uses the heap. */
GC_API void GC_CALL GC_set_handle_fork(int);

/* Right before fork; right after it in the parent (also when it failed); right after it in the child. They do
   nothing when pthread_atfork does it. */
GC_API void GC_CALL GC_atfork_prepare(void);
GC_API void GC_CALL GC_atfork_parent(void);
GC_API void GC_CALL GC_atfork_child(void);

/* ---- 19. Calls of the thread library that the collector stands in for -------------------------------- */

/* With GC_THREADS, the names of the thread library become those of functions that do the same and tell the
   collector: a new thread is registered, one that ends is not any more, signals that the collector needs stay
   unblocked, and no library is loaded amid a collection. Parameters and results are those of the system.
     GC_NO_THREAD_REDIRECTS   declare the functions but leave the names alone
     GC_USE_LD_WRAP           the same: the linker's --wrap does it
     GC_NO_DLOPEN, GC_NO_PTHREAD_SIGMASK, GC_NO_PTHREAD_CANCEL   leave out these */
#ifdef GC_PTHREADS
GC_API int GC_pthread_create(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
GC_API int GC_pthread_join(pthread_t, void**);
GC_API int GC_pthread_detach(pthread_t);
#ifndef GC_PTHREAD_EXIT_ATTRIBUTE
#if defined(__GNUC__)
#define GC_PTHREAD_EXIT_ATTRIBUTE __attribute__((__noreturn__))
#else
#define GC_PTHREAD_EXIT_ATTRIBUTE
#endif
#endif
GC_API void GC_pthread_exit(void*) GC_PTHREAD_EXIT_ATTRIBUTE;
#ifndef GC_NO_PTHREAD_CANCEL
GC_API int GC_pthread_cancel(pthread_t);
#endif
/* Strict C has no sigset_t. */
#if !defined(GC_NO_PTHREAD_SIGMASK) &&                                                     \
    (defined(GC_PTHREAD_SIGMASK_NEEDED) || defined(_BSD_SOURCE) || defined(_GNU_SOURCE) || \
     (defined(_POSIX_C_SOURCE) && _POSIX_C_SOURCE >= 199506L) ||                           \
     (defined(_XOPEN_SOURCE) && _XOPEN_SOURCE >= 500))
GC_API int GC_pthread_sigmask(int, const sigset_t*, sigset_t*);
#endif
#ifndef GC_NO_DLOPEN
GC_API void* GC_dlopen(const char*, int);
#endif

#if !defined(GC_NO_THREAD_REDIRECTS) && !defined(GC_USE_LD_WRAP)
#undef pthread_create
#define pthread_create GC_pthread_create
#undef pthread_join
#define pthread_join GC_pthread_join
#undef pthread_detach
#define pthread_detach GC_pthread_detach
#undef pthread_exit
#define pthread_exit GC_pthread_exit
#ifndef GC_NO_PTHREAD_CANCEL
#undef pthread_cancel
#define pthread_cancel GC_pthread_cancel
#endif
#ifndef GC_NO_PTHREAD_SIGMASK
#undef pthread_sigmask
#define pthread_sigmask GC_pthread_sigmask
#endif
#ifndef GC_NO_DLOPEN
#undef dlopen
#define dlopen GC_dlopen
#endif
#endif
#endif

/* ---- 20. Checked pointer arithmetic and stores ------------------------------------------------------- */

/* Checks for preprocessors and for debugging. Each returns its first argument. When a check fails the
   function of its name with _print_proc is called, which at first aborts with a message. */

/* Both addresses lie in the same object, or neither in the heap. */
GC_API void* GC_CALL GC_same_obj(void* /* p */, void* /* q */);

/* The address is one that the collector would find a pointer at. In the heap that is a scanned object; which
   of its words are, and whether an address outside the heap lies in a stack or a root, is not looked at. */
GC_API void* GC_CALL GC_is_visible(void* /* p */);

/* If the address lies in the heap, it is one that keeps an object (GC_set_all_interior_pointers). */
GC_API void* GC_CALL GC_is_valid_displacement(void* /* p */);

/* Add bytes to the pointer at p, check that it stays within its object, and return the new value or the
   old. */
GC_API void* GC_CALL GC_pre_incr(void** /* p */, ptrdiff_t /* bytes */) GC_ATTR_NONNULL(1);
GC_API void* GC_CALL GC_post_incr(void** /* p */, ptrdiff_t /* bytes */) GC_ATTR_NONNULL(1);

typedef void(GC_CALLBACK* GC_same_obj_print_proc_t)(void* /* p */, void* /* q */);
typedef void(GC_CALLBACK* GC_valid_ptr_print_proc_t)(void* /* p */);
GC_API GC_same_obj_print_proc_t GC_same_obj_print_proc;
GC_API GC_valid_ptr_print_proc_t GC_is_visible_print_proc;
GC_API GC_valid_ptr_print_proc_t GC_is_valid_displacement_print_proc;

/* Set and read these variables. Never null. Not synchronised. */
GC_API void GC_CALL GC_set_same_obj_print_proc(GC_same_obj_print_proc_t) GC_ATTR_NONNULL(1);
GC_API GC_same_obj_print_proc_t GC_CALL GC_get_same_obj_print_proc(void);
GC_API void GC_CALL GC_set_is_visible_print_proc(GC_valid_ptr_print_proc_t) GC_ATTR_NONNULL(1);
GC_API GC_valid_ptr_print_proc_t GC_CALL GC_get_is_visible_print_proc(void);
GC_API void GC_CALL GC_set_is_valid_displacement_print_proc(GC_valid_ptr_print_proc_t) GC_ATTR_NONNULL(1);
GC_API GC_valid_ptr_print_proc_t GC_CALL GC_get_is_valid_displacement_print_proc(void);

/* p + n, p += n, p++ and p-- for pointers, and a store; checked with GC_DEBUG. GC_PTR_ADD evaluates p
   twice. */
#if defined(GC_DEBUG) && defined(__GNUC__)
#define GC_PTR_ADD3(p, n, type) ((type)GC_same_obj((p) + (n), (p)))
#define GC_PRE_INCR3(p, n, type) ((type)GC_pre_incr((void**)&(p), (ptrdiff_t)sizeof(*(p)) * (n)))
#define GC_POST_INCR3(p, n, type) ((type)GC_post_incr((void**)&(p), (ptrdiff_t)sizeof(*(p)) * (n)))
#define GC_PTR_ADD(p, n) GC_PTR_ADD3(p, n, __typeof__(p))
#define GC_PRE_INCR(p, n) GC_PRE_INCR3(p, n, __typeof__(p))
#define GC_POST_INCR(p) GC_POST_INCR3(p, 1, __typeof__(p))
#define GC_POST_DECR(p) GC_POST_INCR3(p, -1, __typeof__(p))
#else
#define GC_PTR_ADD(p, n) ((p) + (n))
#define GC_PRE_INCR(p, n) ((p) += (n))
#define GC_POST_INCR(p) ((p)++)
#define GC_POST_DECR(p) ((p)--)
#endif
#ifdef GC_DEBUG
#define GC_PTR_STORE(slot, value) \
  (*(void**)GC_is_visible((void*)(slot)) = GC_is_valid_displacement((void*)(value)))
#else
#define GC_PTR_STORE(slot, value) (*(void**)(slot) = (void*)(value))
#endif

/* ---- 21. Public variables ---------------------------------------------------------------------------- */

/* The same settings and numbers as variables, for programs that use them so. A program should write to them
   before GC_init or not at all. The functions of the same names are better. */
GC_API GC_word GC_gc_no GC_ATTR_DEPRECATED; /* only to be read */
#ifdef GC_THREADS
GC_API int GC_parallel GC_ATTR_DEPRECATED; /* only to be read */
#endif
GC_API GC_oom_func GC_oom_fn GC_ATTR_DEPRECATED;
GC_API GC_on_heap_resize_proc GC_on_heap_resize GC_ATTR_DEPRECATED;
GC_API GC_finalizer_notifier_proc GC_finalizer_notifier GC_ATTR_DEPRECATED;
GC_API int GC_find_leak GC_ATTR_DEPRECATED;
GC_API int GC_all_interior_pointers GC_ATTR_DEPRECATED;
GC_API int GC_finalize_on_demand GC_ATTR_DEPRECATED;
GC_API int GC_java_finalization GC_ATTR_DEPRECATED;
GC_API int GC_no_dls GC_ATTR_DEPRECATED;
GC_API int GC_dont_expand GC_ATTR_DEPRECATED;
GC_API int GC_dont_precollect GC_ATTR_DEPRECATED;
GC_API int GC_full_freq GC_ATTR_DEPRECATED;
GC_API unsigned long GC_time_limit GC_ATTR_DEPRECATED;
GC_API GC_word GC_non_gc_bytes GC_ATTR_DEPRECATED;
GC_API GC_word GC_free_space_divisor GC_ATTR_DEPRECATED;
GC_API GC_word GC_max_retries GC_ATTR_DEPRECATED;

/* Asks to fill the whole heap before it is collected. libgc alone follows it. */
GC_API int GC_use_entire_heap GC_ATTR_DEPRECATED;

/* The depth of GC_disable: collections happen while it is 0. */
#ifdef GC_DONT_GC
GC_API int GC_dont_gc;
#else
GC_API int GC_dont_gc GC_ATTR_DEPRECATED;
#endif

/* The cold end of the main thread's stack. A program may set it before GC_init; null: it is found out. */
GC_API char* GC_stackbottom GC_ATTR_DEPRECATED;

/* ---- 22. GC_INIT ------------------------------------------------------------------------------------- */

/* Call it once on the main thread, before all else. It is GC_init with what a program asks for by macros that
   it defines before including this header:
     GC_DONT_EXPAND, GC_FORCE_UNMAP_ON_GCOLLECT, GC_DONT_GC, GC_IGNORE_WARN          switches
     GC_MAX_RETRIES, GC_ALLOCD_BYTES_PER_FINALIZER, GC_FREE_SPACE_DIVISOR,
     GC_FULL_FREQ, GC_TIME_LIMIT, GC_MAXIMUM_HEAP_SIZE, GC_INITIAL_HEAP_SIZE         numbers
     GC_MARKERS, GC_SIG_SUSPEND, GC_SIG_THR_RESTART                                  numbers, with
   GC_THREADS */
#ifdef GC_DONT_EXPAND
#define GC_BEFORE_INIT_DONT_EXPAND GC_set_dont_expand(1);
#else
#define GC_BEFORE_INIT_DONT_EXPAND
#endif
#ifdef GC_FORCE_UNMAP_ON_GCOLLECT
#define GC_BEFORE_INIT_UNMAP GC_set_force_unmap_on_gcollect(1);
#else
#define GC_BEFORE_INIT_UNMAP
#endif
#ifdef GC_DONT_GC
#define GC_BEFORE_INIT_DONT_GC GC_dont_gc = 1;
#else
#define GC_BEFORE_INIT_DONT_GC
#endif
#ifdef GC_MAX_RETRIES
#define GC_BEFORE_INIT_RETRIES GC_set_max_retries(GC_MAX_RETRIES);
#else
#define GC_BEFORE_INIT_RETRIES
#endif
#ifdef GC_ALLOCD_BYTES_PER_FINALIZER
#define GC_BEFORE_INIT_FINALIZERS GC_set_allocd_bytes_per_finalizer(GC_ALLOCD_BYTES_PER_FINALIZER);
#else
#define GC_BEFORE_INIT_FINALIZERS
#endif
#ifdef GC_FREE_SPACE_DIVISOR
#define GC_BEFORE_INIT_DIVISOR GC_set_free_space_divisor(GC_FREE_SPACE_DIVISOR);
#else
#define GC_BEFORE_INIT_DIVISOR
#endif
#ifdef GC_FULL_FREQ
#define GC_BEFORE_INIT_FULL_FREQ GC_set_full_freq(GC_FULL_FREQ);
#else
#define GC_BEFORE_INIT_FULL_FREQ
#endif
#ifdef GC_TIME_LIMIT
#define GC_BEFORE_INIT_TIME_LIMIT GC_set_time_limit(GC_TIME_LIMIT);
#else
#define GC_BEFORE_INIT_TIME_LIMIT
#endif
#ifdef GC_MAXIMUM_HEAP_SIZE
#define GC_BEFORE_INIT_MAXIMUM GC_set_max_heap_size(GC_MAXIMUM_HEAP_SIZE);
#else
#define GC_BEFORE_INIT_MAXIMUM
#endif
#if defined(GC_MARKERS) && defined(GC_THREADS)
#define GC_BEFORE_INIT_MARKERS GC_set_markers_count(GC_MARKERS);
#else
#define GC_BEFORE_INIT_MARKERS
#endif
#if defined(GC_SIG_SUSPEND) && defined(GC_THREADS)
#define GC_BEFORE_INIT_SUSPEND GC_set_suspend_signal(GC_SIG_SUSPEND);
#else
#define GC_BEFORE_INIT_SUSPEND
#endif
#if defined(GC_SIG_THR_RESTART) && defined(GC_THREADS)
#define GC_BEFORE_INIT_RESTART GC_set_thr_restart_signal(GC_SIG_THR_RESTART);
#else
#define GC_BEFORE_INIT_RESTART
#endif
#ifdef GC_IGNORE_WARN
#define GC_AFTER_INIT_WARNINGS GC_set_warn_proc(GC_ignore_warn_proc);
#else
#define GC_AFTER_INIT_WARNINGS
#endif
#ifdef GC_INITIAL_HEAP_SIZE
#define GC_AFTER_INIT_HEAP                                 \
  if (GC_get_heap_size() < (size_t)(GC_INITIAL_HEAP_SIZE)) \
    (void)GC_expand_hp((size_t)(GC_INITIAL_HEAP_SIZE)-GC_get_heap_size());
#else
#define GC_AFTER_INIT_HEAP
#endif

#define GC_INIT()              \
  {                            \
    GC_BEFORE_INIT_DONT_EXPAND \
    GC_BEFORE_INIT_UNMAP       \
    GC_BEFORE_INIT_DONT_GC     \
    GC_BEFORE_INIT_RETRIES     \
    GC_BEFORE_INIT_FINALIZERS  \
    GC_BEFORE_INIT_DIVISOR     \
    GC_BEFORE_INIT_FULL_FREQ   \
    GC_BEFORE_INIT_TIME_LIMIT  \
    GC_BEFORE_INIT_MAXIMUM     \
    GC_BEFORE_INIT_MARKERS     \
    GC_BEFORE_INIT_SUSPEND     \
    GC_BEFORE_INIT_RESTART     \
    GC_init();                 \
    GC_AFTER_INIT_WARNINGS     \
    GC_AFTER_INIT_HEAP         \
  }

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GC_H */

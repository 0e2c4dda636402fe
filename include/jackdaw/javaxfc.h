/*
 * javaxfc.h: finalizers of everything, for runtimes that must call them all before they end.
 */
#ifndef GC_JAVAXFC_H
#define GC_JAVAXFC_H

#include "gc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls, on this thread, every finalizer that is registered, of reachable objects too, until there is none;
   also those that are registered meanwhile, so it need not end. The notifier is not called. */
GC_API void GC_CALL GC_finalize_all(void);

#ifdef GC_THREADS
/* Suspend a registered thread until it is resumed; tell whether it is suspended. Nothing happens,
   and 0 is told, when it is not registered. To suspend it twice is to suspend it once. Collections go on
   meanwhile. A thread may suspend itself; one in GC_do_blocking is held at its end. What the thread has
   locked stays locked: suspended in the middle of malloc it keeps others out of that. */
#ifndef GC_SUSPEND_THREAD_ID
#define GC_SUSPEND_THREAD_ID pthread_t
#endif
GC_API void GC_CALL GC_suspend_thread(GC_SUSPEND_THREAD_ID);
GC_API void GC_CALL GC_resume_thread(GC_SUSPEND_THREAD_ID);
GC_API int GC_CALL GC_is_thread_suspended(GC_SUSPEND_THREAD_ID);
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GC_JAVAXFC_H */

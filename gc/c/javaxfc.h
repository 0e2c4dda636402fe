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

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* GC_JAVAXFC_H */

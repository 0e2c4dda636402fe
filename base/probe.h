// Probes: tracepoints for bpftrace, perf and SystemTap (docs/trace.md). Each is a no-op instruction until a
// tracer puts a breakpoint there. The macro's number is that of its arguments, which are integers or
// pointers.
#pragma once

#if __has_include(<sys/sdt.h>)
// Arguments are kept in registers or constants, since some tracers cannot decode every address mode.
#if !defined(STAP_SDT_ARG_CONSTRAINT)
#define STAP_SDT_ARG_CONSTRAINT nr
#endif
#include <sys/sdt.h>
#define JACKDAW_PROBE1(name, first) STAP_PROBE1(jackdaw, name, first)
#define JACKDAW_PROBE2(name, first, second) STAP_PROBE2(jackdaw, name, first, second)
#define JACKDAW_PROBE3(name, first, second, third) STAP_PROBE3(jackdaw, name, first, second, third)
#else
#define JACKDAW_PROBE1(name, first) static_cast<void>(0)
#define JACKDAW_PROBE2(name, first, second) static_cast<void>(0)
#define JACKDAW_PROBE3(name, first, second, third) static_cast<void>(0)
#endif

// Probes: places at which bpftrace, perf and SystemTap can look on (docs/trace.md). Each is one instruction
// that does nothing, until one of them puts a breakpoint there. The number is that of the arguments, which
// are numbers or pointers.
#pragma once

#if __has_include(<sys/sdt.h>)
// Arguments are in registers, or constants: not every reader knows all of the processor's addresses.
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

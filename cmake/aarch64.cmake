# Toolchain: AArch64 Linux, with Debian's g++-aarch64-linux-gnu. What is built runs under Debian's qemu-user, and in an
# emulated machine (tests/guest/).
#
# The tests then show that the code compiles for AArch64 and runs there, with its atomics, its pointers and its rules
# of alignment. They cannot show faults of weak memory order. The emulator runs each access as one of the machine it
# runs on, and an x86 does not reorder as an ARM may. Nor does it keep all of AArch64's promises: a sequentially
# consistent load may overtake such a store, so what rests on that order is not tested here with several threads.
# Memory orders are what the model checker is for (tests/verify/).
#
# No -march here. The compiler's default is what an embedder of the engine gets: baseline ARMv8-A that calls helpers
# for its atomics, which pick the instructions of ARMv8.1 where the processor has them. A helper hides its barrier
# from a reader of disassembly; tests/arm/ compiles for all three ways of doing atomics, and counts such a call as a
# barrier.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)

set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# Libraries, headers and packages are the target's alone; programs are the host's. Debian's cross compiler brings the C
# and C++ libraries; ./dev unpacks the packages of the others into a folder of the build.
set(JACKDAW_TARGET_ROOT ${CMAKE_CURRENT_LIST_DIR}/../build/arm/root)
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu ${JACKDAW_TARGET_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${JACKDAW_TARGET_ROOT})
set(ENV{PKG_CONFIG_LIBDIR}
  ${JACKDAW_TARGET_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${JACKDAW_TARGET_ROOT}/usr/share/pkgconfig)

# Headers that no package file of theirs leads to (sys/sdt.h).
set(CMAKE_CXX_FLAGS_INIT "-idirafter ${JACKDAW_TARGET_ROOT}/usr/include/aarch64-linux-gnu")

# -L: where the target's dynamic linker and libraries lie.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)

#include "base/guarded_loads.h"

#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>

#include "base/signal_action.h"
#include "base/signals_blocked.h"

namespace jackdaw::base {

// jackdaw_can_load returns 0 where the handler lets the thread go on, else more. Its value depends on the
// byte, or valgrind would leave the load out. x86-64 wants the code by which a handler returns; gdb knows
// such code by "sigaction" in its name.
#if defined(__x86_64__)
asm(R"(
  .pushsection .text
  .type jackdaw_can_load, @function
jackdaw_can_load:
  .cfi_startproc
jackdaw_guarded_load:
  movzbl (%rdi), %eax
  orl $256, %eax
  ret
jackdaw_load_failed:
  xorl %eax, %eax
  ret
  .cfi_endproc
  .size jackdaw_can_load, . - jackdaw_can_load
  .type jackdaw_sigaction_restorer, @function
  nop
jackdaw_sigaction_restorer:
  movq $15, %rax
  syscall
  .size jackdaw_sigaction_restorer, . - jackdaw_sigaction_restorer
  .popsection
)");
#elif defined(__aarch64__)
asm(R"(
  .pushsection .text
  .type jackdaw_can_load, %function
jackdaw_can_load:
  .cfi_startproc
jackdaw_guarded_load:
  ldrb w0, [x0]
  orr w0, w0, #256
  ret
jackdaw_load_failed:
  mov w0, #0
  ret
  .cfi_endproc
  .size jackdaw_can_load, . - jackdaw_can_load
  .popsection
)");
#endif

#if defined(__x86_64__) || defined(__aarch64__)

[[gnu::visibility("hidden")]] int can_load(std::uintptr_t address) asm("jackdaw_can_load");
[[gnu::visibility("hidden")]] extern const char kGuardedLoad asm("jackdaw_guarded_load");
[[gnu::visibility("hidden")]] extern const char kLoadFailed asm("jackdaw_load_failed");
#ifdef __x86_64__
[[gnu::visibility("hidden")]] void return_from_handler() asm("jackdaw_sigaction_restorer");
#endif

namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS};

// The program's actions. They are written before the handler is installed, which reads them in any thread:
// the kernel's lock of the actions orders the two.
constinit std::array<SignalAction, kSignals.size()> program_actions{};

SignalAction& program_action_of(int signal) { return program_actions[signal == kSignals[0] ? 0 : 1]; }

std::uintptr_t address_of(const char& label) { return reinterpret_cast<std::uintptr_t>(&label); }

auto& program_counter(void* context) {
  mcontext_t& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#ifdef __x86_64__
  return machine.gregs[REG_RIP];
#else
  return machine.pc;
#endif
}

// Whether the signal tells of the instruction at the program counter. Others may come at any.
bool is_fault(const siginfo_t& info) {
  return info.si_code > 0 && !(info.si_signo == SIGBUS && info.si_code == BUS_MCEERR_AO);
}

// Does what would have happened without the handler, in any thread. The mask is restored when it returns.
void pass_on(int signal, siginfo_t* info, void* context) {
  const SignalAction action = program_action_of(signal);
  if (action.handler == reinterpret_cast<std::uintptr_t>(SIG_IGN) && !is_fault(*info)) return;
  const bool has_handler = action.handler > reinterpret_cast<std::uintptr_t>(SIG_IGN);
  if (!has_handler || (action.flags & SA_RESETHAND) != 0) static_cast<void>(SignalAction{}.set_for(signal));
  if (!has_handler) {
    // A fault comes again with the next try, a signal that was sent does not.
    if (!is_fault(*info)) syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, info);
    return;
  }
  const SignalBits own = bit_of(signal);
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &action.blocked, nullptr, sizeof action.blocked);
  if ((action.flags & SA_NODEFER) != 0) syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &own, nullptr, sizeof own);
  if ((action.flags & SA_SIGINFO) != 0) {
    reinterpret_cast<void (*)(int, siginfo_t*, void*)>(action.handler)(signal, info, context);
  } else {
    reinterpret_cast<void (*)(int)>(action.handler)(signal);
  }
}

void on_signal(int signal, siginfo_t* info, void* context) {
  auto& counter = program_counter(context);
  using Counter = std::remove_reference_t<decltype(counter)>;
  if (counter != static_cast<Counter>(address_of(kGuardedLoad)) || !is_fault(*info))
    return pass_on(signal, info, context);
  counter = static_cast<Counter>(address_of(kLoadFailed));
}

SignalAction own_action() {
  SignalAction action{.handler = reinterpret_cast<std::uintptr_t>(&on_signal),
                      .flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
#ifdef __x86_64__
  constexpr unsigned long kHasWayBack = 0x04000000;  // SA_RESTORER, which no header for programs declares
  action.flags |= kHasWayBack;
  action.way_back = &return_from_handler;
#endif
  return action;
}

bool blocks_one(SignalBits blocked) {
  for (const int signal : kSignals) {
    if ((blocked & bit_of(signal)) != 0) return true;
  }
  return false;
}

// Notes the program's action and replaces it. One that is this handler was restored by a thread that had
// found it in an earlier pause: the program's is still the one noted then.
bool install(int signal) {
  const std::optional<SignalAction> before = SignalAction::of(signal);
  if (!before) return false;
  if (before->handler != own_action().handler) program_action_of(signal) = *before;
  return own_action().set_for(signal);
}

// Restores the program's action, unless a thread that was not stopped has set another.
void restore(int signal) {
  SignalAction current;
  if (!program_action_of(signal).set_for(signal, current)) return;
  if (current.handler != own_action().handler) static_cast<void>(current.set_for(signal));
}

bool install_all() {
  if (!install(kSignals[0])) return false;
  if (install(kSignals[1])) return true;
  restore(kSignals[0]);
  return false;
}

}  // namespace

GuardedLoads::GuardedLoads() {
  SignalBits blocked = 0;
  if (syscall(SYS_rt_sigprocmask, SIG_BLOCK, nullptr, &blocked, sizeof blocked) != 0 || blocks_one(blocked))
    return;
  are_on_ = install_all();
}

GuardedLoads::~GuardedLoads() {
  if (!are_on_) return;
  are_on_ = false;
  for (const int signal : kSignals) restore(signal);
}

bool GuardedLoads::can_read(std::uintptr_t address) { return can_load(address) != 0; }

#else  // no code for this machine

GuardedLoads::GuardedLoads() = default;
GuardedLoads::~GuardedLoads() = default;
bool GuardedLoads::can_read(std::uintptr_t) { __builtin_unreachable(); }

#endif

}  // namespace jackdaw::base

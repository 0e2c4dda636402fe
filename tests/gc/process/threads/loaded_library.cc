// A shared library that the tests load: it has a static variable and a thread_local one.
namespace {

void* static_variable = nullptr;
thread_local void* thread_local_variable = nullptr;

}  // namespace

extern "C" [[gnu::visibility("default")]] void** static_slot() { return &static_variable; }
extern "C" [[gnu::visibility("default")]] void** thread_local_slot() { return &thread_local_variable; }

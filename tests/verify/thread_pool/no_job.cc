// Helpers that were woken ahead, one by the other, get no job: the pool ends all the same.
#include "tests/verify/thread_pool/pool.h"

int main() {
  jackdaw::mark::ThreadPool pool(3);
  pool.wake_ahead(2);
  return 0;
}

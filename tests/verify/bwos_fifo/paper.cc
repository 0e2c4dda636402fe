// The paper's client.
#include "tests/verify/bwos_fifo/bwos_fifo.h"
#include "tests/verify/figure_9.h"

int main() {
  Queue queue(2, 2);
  // The owner may stand in the middle of the last block: one place of four is behind it.
  verify::figure_9<Queue, verify::Order::oldest_first>(queue, 3);
  return 0;
}

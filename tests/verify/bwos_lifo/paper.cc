// The paper's client.
#include "tests/verify/bwos_lifo/bwos_lifo.h"
#include "tests/verify/figure_9.h"

int main() {
  Queue queue(2, 2);
  verify::figure_9<Queue, verify::Order::newest_first>(queue, 3);
  return 0;
}

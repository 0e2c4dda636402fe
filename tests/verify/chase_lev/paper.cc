// The paper's client.
#include "tests/verify/chase_lev/chase_lev.h"
#include "tests/verify/figure_9.h"

int main() {
  Queue queue(2, 2);
  verify::figure_9<Queue, verify::Order::newest_first>(queue, 1);
  return 0;
}

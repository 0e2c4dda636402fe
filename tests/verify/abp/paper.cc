// The paper's client.
#include "tests/verify/abp/abp.h"
#include "tests/verify/figure_9.h"

int main() {
  Queue queue(2, 2);
  verify::figure_9<Queue, verify::Order::newest_first>(queue, 4);
  return 0;
}

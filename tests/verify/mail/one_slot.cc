// Two post and two take where there is one slot, so that it is used again and again: every task that went in
// comes out once, whole, and with what its poster wrote before.
#include "tests/verify/mail/mail.h"

namespace {

using Box = jackdaw::mark::Mailbox<verify::Task, 1, 2>;

Box box;

void* post_one(void*) { return verify::result(verify::post<1>(box, 4)); }

void* take_two(void*) {
  const verify::Sum first = verify::take(box);
  return verify::result(first + verify::take(box));
}

}  // namespace

int main() {
  const verify::Thread poster = verify::start(post_one, nullptr);
  const verify::Thread taker = verify::start(take_two, nullptr);
  verify::Sum put = verify::post<2>(box, 0);
  verify::Sum got = verify::take(box);
  put += verify::post<2>(box, 2);
  put += verify::join(poster);
  got += verify::join(taker);
  got += verify::take(box);
  CHECK(got == put);
  CHECK(box.is_empty());
  CHECK(verify::post<1>(box, 5) != 0);
  return 0;
}

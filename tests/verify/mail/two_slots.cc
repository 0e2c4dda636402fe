// Two post and two take where there are two slots: who loses a slot to another goes on to the next.
#include "tests/verify/mail/mail.h"

namespace {

using Box = jackdaw::mark::Mailbox<verify::Task, 2, 1>;

Box box;

template <std::size_t kFirst>
void* post_one(void*) {
  return verify::result(verify::post<1>(box, kFirst));
}

void* take_one(void*) { return verify::result(verify::take(box)); }

}  // namespace

int main() {
  const verify::Sum before = verify::post<1>(box, 0);
  CHECK(before != 0);
  const verify::Thread one = verify::start(post_one<1>, nullptr);
  const verify::Thread other = verify::start(post_one<2>, nullptr);
  const verify::Thread taker = verify::start(take_one, nullptr);
  verify::Sum got = verify::take(box);
  const verify::Sum put = before + verify::join(one) + verify::join(other);
  got += verify::join(taker);
  while (!box.is_empty()) got += verify::take(box);
  CHECK(got == put);
  return 0;
}

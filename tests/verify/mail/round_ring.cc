// Two workers that hand each other three tasks by mail, and end the round when the mail is empty.
#include "mark/termination/ring.h"

#include "tests/verify/mail/round.h"

int main() {
  jackdaw::mark::BasicRingTerminator<verify::Parking, verify::NeverSleep> detector(2, {});
  verify::run_mail_round<3>(detector);
  return 0;
}

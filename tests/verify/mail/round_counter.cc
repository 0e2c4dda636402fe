// Two workers that hand each other three tasks by mail, and end the round when the mail is empty.
#include "mark/termination/counter.h"

#include "tests/verify/mail/round.h"

int main() {
  jackdaw::mark::BasicCounterTerminator<verify::Parking, verify::NeverSleep> detector({});
  verify::run_mail_round<3>(detector);
  return 0;
}

// Two workers that hand each other two tasks by mail, and end the round when the mail is empty.
#include "mark/termination/owst.h"

#include "tests/verify/mail/round.h"

int main() {
  jackdaw::mark::BasicOwstTerminator<verify::Parking, verify::NeverSleep> detector({});
  verify::run_mail_round<2>(detector);
  return 0;
}

// A shared library with a function that calls another from a frame of JACKDAW_FRAME_BYTES bytes, and the
// return address. Libraries that differ only in that have all code at the same place.
#if defined(__x86_64__)

#define JACKDAW_TEXT_OF(number) #number
#define JACKDAW_TEXT(number) JACKDAW_TEXT_OF(number)

// Subtracts the number as four bytes, however small it is.
asm(R"(
  .pushsection .text
  .globl call_from_frame
  .type call_from_frame, @function
call_from_frame:
  .cfi_startproc
  .byte 0x48, 0x81, 0xec
  .long )" JACKDAW_TEXT(JACKDAW_FRAME_BYTES) R"(
  .cfi_adjust_cfa_offset )" JACKDAW_TEXT(JACKDAW_FRAME_BYTES) R"(
  call *%rdi
  .byte 0x48, 0x81, 0xc4
  .long )" JACKDAW_TEXT(JACKDAW_FRAME_BYTES) R"(
  .cfi_adjust_cfa_offset -)" JACKDAW_TEXT(JACKDAW_FRAME_BYTES) R"(
  ret
  .cfi_endproc
  .size call_from_frame, . - call_from_frame
  .popsection
)");

#endif

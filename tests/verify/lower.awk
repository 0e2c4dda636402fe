# Puts LLVM assembly into words that GenMC 0.10.3 knows. It wants every word in memory read in the width in which it
# was written, and has few intrinsics. No access to shared memory is added, dropped or moved.
#   awk -v model=rc11|imm [-v apart=apart] -f lower.awk
# With apart=apart, a compare-and-swap that fails does not acquire where the header says so: GenMC gives failure the
# ordering of success, so the acquire of success becomes a fence (see README.md).

# What keeps verify.h's helpers is a global that nobody reads, and it disturbs what zero-initialised ones hold.
/^@llvm\.(compiler\.)?used = / { next }
# The type of an exception, which is named where nobody comes: nothing is thrown.
# What describes types at run time, of which nobody asks.
/^@_ZTVN10__cxxabiv1.* = external global / { sub(/external global .*/, "global ptr null, align 8") }
# A global without alignment would get the address of another.
/^@_ZTI.* = external constant ptr/ { sub(/external constant ptr/, "constant ptr null, align 8"); print; next }
/^@_ZTV.* = available_externally / && !/, align [0-9]+$/ { $0 = $0 ", align 8" }
# A fence between a thread and its own signal handler would be taken for one between threads.
/fence syncscope\("singlethread"\)/ { next }
# A thread's own variable of one word, by its name.
/ thread_local\(initialexec\) global \{ i32 \} zeroinitializer/ { sub(/\{ i32 \} zeroinitializer/, "i32 0") }
/= call .*ptr @llvm\.threadlocal\.address\.p0\(/ {
  match($0, /@_Z[^)]*/); print $1 " = getelementptr i8, ptr " substr($0, RSTART, RLENGTH) ", i64 0"
  next
}
# Assembly without instructions, which only keeps the compiler from knowing a value.
/= call i64 asm "", "=r,0,/ { match($0, /\(i64 [^)]*/); print $1 " = add " substr($0, RSTART + 1, RLENGTH - 1) ", 0"; next }
# Of a heap's kinds the three that are named, field by field, and of its lists of blocks theirs: fewer events. Of the
# others nothing is ever written, so that the model checker would report a read.
/call void @llvm\.memset\..* %kinds_, / { next }
/call void @llvm\.memset\..* %cleared[^ ]*, i8 0, i64 8192, / { sub(/i64 8192/, "i64 768") }
/call void @llvm\.memcpy\..* %kinds_, ptr align 8 @[^ ]*, i64 768, / {
  match($0, /@constinit[^,]*/); from = substr($0, RSTART, RLENGTH)
  for (at = 0; at < 72; at += 24) {
    move("i8", "%kinds_", from, at); move("i8", "%kinds_", from, at + 1); move("i8", "%kinds_", from, at + 2)
    move("i64", "%kinds_", from, at + 8); move("i8", "%kinds_", from, at + 16)
  }
  next
}
# An array of halfwords that is cleared, or copied from one that is.
/call void @llvm\.memset\..*align 2 .*, i8 0, i64 [0-9]+, i1 false\)/ {
  if ($0 ~ /\.sroa\./) next
  match($0, /%[^,]*/); clear_halfwords(substr($0, RSTART, RLENGTH))
  next
}
/call void @llvm\.memcpy\..*align 2 %[^ ]*, ptr align 2 %ref\.tmp[^ ]*\.sroa\.0,/ {
  match($0, /%[^,]*/); clear_halfwords(substr($0, RSTART, RLENGTH))
  next
}
# The padding of a local, and what is copied of a structure and never read.
/call void @llvm\.memcpy\..*align 1 %[^ ]*\.sroa_idx, ptr align 1 %[^ ]*\.sroa\.[0-9]*, i64 [1-7], / { next }
/call void @llvm\.memcpy\..* %[^ ]*\.sroa\.[0-9]*, ptr align [0-9]* %[^ ]*\.sroa_idx, / { next }
# The padding of a local is cleared and never read.
/call void @llvm\.memset\..*%[^ ]*\.sroa\./ { next }
# A block's number, the owner's alone, is written as two halves and passed on as one word.
/= load i64, ptr %(top|front|back)_[0-9.i]*,/ {
  half = "%half" NR; from = $6; sub(",", "", from)
  print half ".at = getelementptr i8, ptr " from ", i64 4"
  print half ".low = load i32, ptr " from
  print half ".high = load i32, ptr " half ".at"
  print half ".low64 = zext i32 " half ".low to i64"
  print half ".high64 = zext i32 " half ".high to i64"
  print half ".shifted = shl i64 " half ".high64, 32"
  print $1 " = or i64 " half ".shifted, " half ".low64"
  next
}
/^ *store i64 %[^,]*, ptr %(top|front|back)_[0-9.i]*,/ {
  half = "%half" NR; value = $3; sub(",", "", value); to = $5; sub(",", "", to)
  print half ".low = trunc i64 " value " to i32"
  print half ".shifted = lshr i64 " value ", 32"
  print half ".high = trunc i64 " half ".shifted to i32"
  print half ".at = getelementptr i8, ptr " to ", i64 4"
  print "store i32 " half ".low, ptr " to
  print "store i32 " half ".high, ptr " half ".at"
  next
}
apart == "apart" && /= cmpxchg .* (acquire|acq_rel|seq_cst) monotonic, / {
  sub(/ acquire monotonic, /, " monotonic monotonic, ")
  sub(/ acq_rel monotonic, /, " release monotonic, ")
  print
  print "%succeeded" NR " = extractvalue { " type_of_operand() ", i1 } " $1 ", 1"
  print "call void @verify_acquire_if(i1 zeroext %succeeded" NR ")"
  next
}
# Under IMM it crashes on a compare-and-swap that releases and does not acquire.
model == "imm" && apart != "apart" && /= cmpxchg .* release acquire, / { sub(/ release acquire, /, " acq_rel acquire, ") }
# The size of an array, which is small here, and so no overflow.
/= call \{ i64, i1 \} @llvm\.umul\.with\.overflow\.i64\(/ {
  match($0, /\(i64 [^)]*\)/)
  operands = substr($0, RSTART + 1, RLENGTH - 2)
  sub(/, i64 /, ", ", operands)
  print $1 " = mul " operands
  product[$1] = 1
  next
}
/= extractvalue \{ i64, i1 \} / && (substr($8, 1, length($8) - 1) in product) {
  from = substr($8, 1, length($8) - 1)
  print $1 ($9 == "0," ? " = add i64 " from ", 0" : " = icmp ne i64 0, 0")
  next
}
/call void @llvm\.memset\..*align (8|16|128) .*, i8 0, i64 [0-9]+, i1 false\)/ {
  match($0, /%[^,]*/); to = substr($0, RSTART, RLENGTH)
  match($0, /i64 [0-9]+, i1/); bytes = substr($0, RSTART + 4, RLENGTH - 8) + 0
  for (at = 0; at + 8 <= bytes; at += 8) {
    print "%word" NR "." at " = getelementptr i8, ptr " to ", i64 " at
    print "store i64 0, ptr %word" NR "." at
  }
  next
}
# A field of an array of atomics.
/call void @llvm\.memset\..*align 4 .*, i8 0, i64 4, i1 false\)/ {
  match($0, /%[^,]*/); print "store i32 0, ptr " substr($0, RSTART, RLENGTH)
  next
}
# A constant of one word.
/call void @llvm\.memcpy\..*align 8 %[^ ]*, ptr align 8 @__const\.[^ ]*, i64 8, / {
  match($0, /%[^,]*/); to = substr($0, RSTART, RLENGTH)
  match($0, /@__const\.[^,]*/); move("i64", to, substr($0, RSTART, RLENGTH), 0)
  next
}
# Bytes, one by one.
/call void @llvm\.memset\.p0\.i64\(.*, i64 %[^,]*, i1 false\)/ {
  sub(/@llvm\.memset\.p0\.i64/, "@verify_fill"); sub(/, i1 false\)/, ")"); sub(/align 1 /, "")
  print
  next
}
# What an optional that is copied holds beside its value is never read.
/call void @llvm\.memcpy\..*%[^ ]*\.sroa\.[^ ]*, .*%[^ ]*\.sroa\./ { next }
/call void @llvm\.memcpy\..* %(top|front|back)_[0-9.i]*, .* %(top|front|back)_[0-9.i]*, i64 8, / {
  match($0, /%[^,]*/); to = substr($0, RSTART, RLENGTH)
  rest = substr($0, RSTART + RLENGTH); match(rest, /%[^,]*/); from = substr(rest, RSTART, RLENGTH)
  print "%halves" NR ".low = load i32, ptr " from
  print "%halves" NR ".from = getelementptr i8, ptr " from ", i64 4"
  print "%halves" NR ".high = load i32, ptr %halves" NR ".from"
  print "store i32 %halves" NR ".low, ptr " to
  print "%halves" NR ".to = getelementptr i8, ptr " to ", i64 4"
  print "store i32 %halves" NR ".high, ptr %halves" NR ".to"
  next
}
# What a std::function is, two words.
/call void @llvm\.memcpy\..*align 8 %on_start_, ptr align 8 %on_start, i64 16, i1 false\)/ {
  sub(/@llvm\.memcpy\.p0\.p0\.i64/, "@verify_move_8"); sub(/, i1 false\)/, ")"); gsub(/align 8 /, "")
}
# Where nobody comes.
/call void @llvm\.trap\(\)/ { next }
# A pointer that is moved.
/call void @llvm\.memcpy\..*align 8 %[^ ]*, ptr align 8 %[^ ]*, i64 8, / {
  match($0, /%[^,]*/); to = substr($0, RSTART, RLENGTH)
  rest = substr($0, RSTART + RLENGTH); match(rest, /%[^,]*/); from = substr(rest, RSTART, RLENGTH)
  print "%moved" NR " = load ptr, ptr " from
  print "store ptr %moved" NR ", ptr " to
  next
}
/call void @llvm\.memmove\./ {
  match($0, /align [48] /); bytes = substr($0, RSTART + 6, 1)
  sub(/@llvm\.memmove\.p0\.p0\.i64/, "@verify_move_" bytes); sub(/, i1 false\)/, ")")
  gsub(/align [48] /, "")
}
/^define/ { delete product }
{ print }
function move(type, to, from, at,  name) {
  name = "%moved" NR "." at
  print name ".from = getelementptr i8, ptr " from ", i64 " at
  print name " = load " type ", ptr " name ".from"
  print name ".to = getelementptr i8, ptr " to ", i64 " at
  print "store " type " " name ", ptr " name ".to"
}
# What line $0 says to clear.
function clear_halfwords(to,  bytes, at) {
  match($0, /i64 [0-9]+, i1/); bytes = substr($0, RSTART + 4, RLENGTH - 8) + 0
  for (at = 0; at < bytes; at += 2) {
    print "%halfword" NR "." at " = getelementptr i8, ptr " to ", i64 " at
    print "store i16 0, ptr %halfword" NR "." at
  }
}
# cmpxchg ptr %at, TYPE %expected, TYPE %wanted SUCCESS monotonic, ...
function type_of_operand(  i) { for (i = 3; i <= NF; ++i) if ($i == "monotonic,") return $(i - 3) }

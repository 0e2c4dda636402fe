-- Tasks on several threads: each has a ring of its own, computes Groebner bases and makes strings and tables.
allowableThreads = 4
-- Macaulay2 makes rings in one thread only.
rings = apply(12, n -> ZZ/(if n % 2 == 0 then 101 else 32003)[vars(0..4)])
work = n -> (
    R := rings#n;
    counted := 0;
    for round from 0 to 6 do (
        I := ideal apply(5, i -> sum(5, j -> (n + i * j + round) % 11 * R_j^(1 + (i + j) % 3)) - i - n);
        counted = counted + numgens I + #toString I;
        table := new MutableHashTable;
        scan(3000, i -> table#(toString(i * (n + 3) % 617)) = {i, toString(i^2), i .. i + 3});
        counted = counted + #keys table;
        L := sort apply(2000, i -> {(i * 7919 + n) % 1009, toString i});
        counted = counted + L#100#0);
    {n, counted, #toString(product apply(300, i -> 2 * i + n + 1))})
tasks = apply(12, n -> createTask(work, n))
scan(tasks, schedule)
while not all(tasks, isReady) do nanosleep 10000000
print apply(tasks, taskResult)

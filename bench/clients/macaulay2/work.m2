-- Free resolutions, primary decompositions and elimination.
R = ZZ/32003[a..h]
setRandomSeed 11
I = ideal random(R^1, R^{5:-2})
C = res I
print betti C
S = ZZ/101[x_0..x_5]
M = genericSymmetricMatrix(S, x_0, 3)
print betti res minors(2, M)
scan(12, round -> (
    J = monomialCurveIdeal(S, {1, 3 + round, 7, 11, 13});
    print betti res J;
    print degree J))
T = QQ[u, v, w, t]
print primaryDecomposition ideal(u^2*v - w*t, v*w - u*t, u*v*w)
print eliminate({u}, ideal(u^3 - v, u^2 - w, t - u*v))
table1 = new MutableHashTable
scan(150000, i -> table1#(toString (i * 7919 % 10007)) = {i, toString i, i^2})
print(#keys table1, sum apply(keys table1, k -> (table1#k)#0 % 7))
L = apply(60000, i -> set {i % 17, i % 29, toString (i % 31)})
print(#unique L)
print sum apply(1500, i -> #toString ((i + 1)^150 // 3^i))

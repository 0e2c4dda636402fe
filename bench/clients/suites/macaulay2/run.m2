-- Runs every test of some packages, and says of each how it ended.
packages = {"Cyclotomic", "EdgeIdeals", "Elimination", "Graphs", "LieTypes", "Points", "RationalPoints", "SchurRings",
    "SimplicialComplexes", "Text"}
scan(packages, name -> scan(sort keys tests name, number -> (
    passed := try (check(number, name); true) else false;
    << endl << name << " " << number << ": " << (if passed then "passed" else "failed") << endl)))

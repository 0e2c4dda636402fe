# A set of packages as nixpkgs is one: a fixed point of overlays, attributes merged and overridden, strings that depend
# on one another, and at the end a summary of all of it.
let
  inherit (builtins) attrNames concatStringsSep elemAt filter foldl' genList hashString head length listToAttrs map
    mapAttrs sort stringLength substring tail toString;

  fix = f: let x = f x; in x;
  extends = overlay: f: self: let super = f self; in super // overlay self super;
  range = from: to: genList (i: from + i) (to - from + 1);
  mod = a: b: a - b * (a / b);

  packages = 5000;
  name = n: "package-${toString n}";

  makePackage = self: n: args:
    let
      wanted = filter (d: d > 0 && d < n) [ (n - 1) (n - mod n 7 - 1) (n / 2) (n / 3) (n - 13) ];
      own = {
        pname = name n;
        version = "${toString (mod n 11)}.${toString (mod n 5)}";
        dependencies = map (d: self.${name d}) wanted;
        flags = listToAttrs (map (i: { name = "with-${toString i}"; value = mod (n * i) 3 == 0; }) (range 1 12));
        meta = { description = "The package of number ${toString n}"; priority = mod n 10; };
      } // args;
      configure = concatStringsSep " " (map (flag: "--${if own.flags.${flag} then "enable" else "disable"}-${flag}") (attrNames own.flags));
      inputs = concatStringsSep ":" (map (dependency: substring 0 16 dependency.hash) own.dependencies);
      this = own // {
        inherit configure;
        hash = hashString "sha256" "${own.pname}-${own.version} ${configure} ${inputs}";
        override = changes: makePackage self n (args // changes);
      };
    in this;

  base = self: listToAttrs (map (n: { name = name n; value = makePackage self n { }; }) (range 1 packages));
  debug = self: super: mapAttrs
    (key: package: if mod (stringLength package.configure) 2 == 0
      then package.override { version = package.version + "-debug"; } else package) super;
  pinned = self: super: listToAttrs (map
    (n: { name = name n; value = super.${name n}.override { version = "0"; flags = super.${name (n + 1)}.flags; }; })
    (filter (n: mod n 17 == 0) (range 1 (packages - 1))));

  all = fix (extends pinned (extends debug base));

  names = sort (a: b: all.${a}.hash < all.${b}.hash) (attrNames all);
  closure = depth: package: foldl' (seen: dependency:
    if depth == 0 || seen ? ${dependency.pname} then seen
    else seen // { ${dependency.pname} = depth; } // closure (depth - 1) dependency) { } package.dependencies;
  # Who needs a package: a fold that copies the set at each step, as many do.
  users = foldl' (index: key: foldl' (index: dependency:
    let count = (index.${dependency.pname} or 0) + 1;
    in builtins.seq count (index // { ${dependency.pname} = count; })) index all.${key}.dependencies) { } names;
  mostUsed = head (sort (a: b: users.${a} > users.${b} || users.${a} == users.${b} && a < b) (attrNames users));
  sizes = map (key: length (attrNames (closure 3 all.${key}))) names;
in {
  inherit mostUsed;
  first = map (key: all.${key}.pname) (genList (elemAt names) 5);
  hashed = hashString "sha256" (concatStringsSep "," (map (key: all.${key}.hash) names));
  closures = foldl' (a: b: a + b) 0 sizes;
  debugged = length (filter (key: builtins.match ".*-debug" all.${key}.version != null) names);
}

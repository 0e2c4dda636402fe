// Vega's packages as Debian has them: a module each, which asks for others by name (AMD). Before each stands the name
// that others ask for it by.
const vegaModules = {};
let vegaModule;
function define(names, factory) {
  const exports = (vegaModules[vegaModule] = {});
  factory(...names.map((name) => (name === "exports" ? exports : vegaModules[name])));
}
define.amd = true;

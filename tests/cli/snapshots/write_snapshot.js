// node write_snapshot.js PROGRAM FILE: writes V8's heap snapshot of one of these programs.
'use strict';
const v8 = require('v8');

const programs = {
  // Narrow and deep; what only weak references lead to.
  lists() {
    let list = null;
    const weak = [];
    const table = new WeakMap();
    for (let i = 0; i < 50000; ++i) {
      const next = {value: i, list};
      if (i % 10 === 0) {
        weak.push(new WeakRef(next));
        table.set(next, {of: next});
      }
      list = i % 1000 === 0 ? null : next;
    }
    return {list, weak, table, registry: new FinalizationRegistry(() => {})};
  },
  // Functions with contexts, and collections of every kind.
  closures() {
    const counters = [];
    for (let i = 0; i < 5000; ++i) {
      let count = i;
      counters.push({up: () => ++count, down: () => --count, symbol: Symbol(`s${i}`), big: 2n ** BigInt(i % 200)});
    }
    function* walk() {
      yield* counters;
    }
    return {
      counters,
      walk: walk(),
      map: new Map(counters.map((counter, i) => [i, counter])),
      set: new Set(counters),
      promise: Promise.resolve(counters).then((all) => all.length),
      pattern: /(?<year>\d{4})-(?<month>\d\d)/u,
    };
  },
  // Strings of every kind with names that are hard to write, and buffers.
  texts() {
    class Étoile {
      constructor(i) {
        this[`key ${i % 7} \u{1D800} "\\\n`] = `${'x'.repeat(i % 50)}${i}\u{1F600}\ud800`;
        this.rope = this.text + 'y'.repeat(2000) + i;
        this.slice = 'a long string that others are slices of'.repeat(9).slice(i % 20, 300);
      }
    }
    const stars = Array.from({length: 3000}, (_, i) => new Étoile(i));
    return {stars, buffers: stars.map((_, i) => new Uint8Array(i)), error: new RangeError('kept'), holes: [, , stars]};
  },
};

const [, , program, file] = process.argv;
globalThis.kept = programs[program]();
v8.writeHeapSnapshot(file);

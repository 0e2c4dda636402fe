// node count_snapshot.js FILE: what is in a heap snapshot of V8, plain or gzipped, by a reader that has nothing to do
// with Jackdaw's: JSON.parse, then arrays.
'use strict';
const fs = require('fs');
const zlib = require('zlib');

const bytes = fs.readFileSync(process.argv[2]);
const text = (bytes[0] === 0x1f ? zlib.gunzipSync(bytes) : bytes).toString();
const {snapshot: {meta}, nodes, edges} = JSON.parse(text);

const nodeFields = meta.node_fields.length;
const edgeFields = meta.edge_fields.length;
const edgeCount = meta.node_fields.indexOf('edge_count');
const selfSize = meta.node_fields.indexOf('self_size');
const kind = meta.edge_fields.indexOf('type');
const target = meta.edge_fields.indexOf('to_node');
const weakKind = meta.edge_types[kind].indexOf('weak');

const count = {nodes: nodes.length / nodeFields, edges: edges.length / edgeFields, weak: 0, bytes: 0};
const strong = [];
let edge = 0;
for (let node = 0; node < count.nodes; ++node) {
  const targets = [];
  for (let left = nodes[node * nodeFields + edgeCount]; left > 0; --left, edge += edgeFields) {
    if (edges[edge + kind] === weakKind) {
      ++count.weak;
    } else {
      targets.push(edges[edge + target] / nodeFields);
    }
  }
  strong.push(targets);
}
if (edge !== edges.length) throw new Error('edges are left');

const reached = new Set([0]);
count.references = 0;
for (const node of reached) {
  count.bytes += nodes[node * nodeFields + selfSize];
  for (const to of strong[node]) {
    ++count.references;
    reached.add(to);
  }
}
count.reachable = reached.size;
console.log(JSON.stringify(count));

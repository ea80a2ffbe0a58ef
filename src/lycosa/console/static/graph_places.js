// Where the nodes of a link graph go: rings around the URL that was asked for. Always the same for the same graph.

const APART = 42;
const BETWEEN = 90;

// Which nodes each one is linked with, in either direction.
function neighbours({ nodes, links }) {
  const found = nodes.map(() => []);
  for (const { source, target } of links) {
    found[source].push(target);
    found[target].push(source);
  }
  return found;
}

// In the first ring what only links to the centre stands on the left, what is only linked from it on the right. In the
// others each node stands as near as it can to those of the ring before that it is linked with. A ring with more nodes
// than fit has several rows. O(n log n + links).
export function places(graph) {
  const { nodes, links } = graph;
  const linked = neighbours(graph);
  const angles = new Float64Array(nodes.length);
  const found = new Array(nodes.length);
  const leadsIn = new Set(), leadsOut = new Set();
  for (const { source, target } of links) {
    if (target === 0) leadsIn.add(source);
    if (source === 0) leadsOut.add(target);
  }
  found[0] = { x: 0, y: 0 };
  let radius = 0;
  const rings = [];
  nodes.forEach((node, number) => (rings[node.distance] ??= []).push(number));
  for (const ring of rings.slice(1)) {
    if (!ring) continue;
    const wished = new Map(ring.map((number) => [number, wish(number)]));
    ring.sort((a, b) => wished.get(a) - wished.get(b) || a - b);
    radius += BETWEEN;
    const rows = rowsFor(ring.length, radius);
    ring.forEach((number, at) => {
      angles[number] = (2 * Math.PI * (at + 0.5)) / ring.length - Math.PI;
      const far = radius + (at % rows) * APART;
      found[number] = { x: far * Math.sin(angles[number]), y: -far * Math.cos(angles[number]) };
    });
    radius += (rows - 1) * APART;
  }
  return found;

  // From -π to π, clockwise, 0 at the top.
  function wish(number) {
    if (nodes[number].distance === 1) return leadsIn.has(number) ? (leadsOut.has(number) ? 0 : -1) : 1;
    let x = 0, y = 0;
    for (const other of linked[number]) {
      if (nodes[other].distance !== nodes[number].distance - 1) continue;
      x += Math.sin(angles[other]);
      y += Math.cos(angles[other]);
    }
    return Math.atan2(x, y);
  }
}

function rowsFor(count, radius) {
  let rows = 1;
  for (let room = 2 * Math.PI * radius; room < count * APART; rows++) room += 2 * Math.PI * (radius + rows * APART);
  return rows;
}

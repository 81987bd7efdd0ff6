// Where each node is drawn: pools one below the other, in each its racks side by side, in each rack
// its nodes one below the other. Nodes without a rack stand in lines. All lengths are in pixels of
// the screen. The cells are as large as they can be with everything in one picture.

const LARGEST_CELL = 22;
const HEADING = 20; // above each pool, in CSS pixels
const LABEL = 15; // above each rack, where it is wide enough for its name
const WIDE_ENOUGH = 44;
const MOST_IN_STACK = 24; // nodes of a rack one below the other

/** A text by which names with numbers sort as people expect: node-9 before node-10. */
function sortKey(name) {
  return name.replace(/\d+/g, (digits) => digits.padStart(9, '0'));
}

function byKey(a, b) {
  return a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
}

function sorted(map) {
  return [...map].map(([name, value]) => ({name, value, key: sortKey(name)})).sort(byKey);
}

/** Pools, their racks, and the ids of the nodes in them, all in the order in which they are drawn. */
export function* group(board) {
  const pools = new Map();
  for (let id = 0; id < board.size; ++id) {
    if (!board.has(id)) continue;
    const pool = board.words[board.pool[id]];
    const rack = board.words[board.rack[id]];
    if (!pools.has(pool)) pools.set(pool, new Map());
    const racks = pools.get(pool);
    if (!racks.has(rack)) racks.set(rack, []);
    racks.get(rack).push({id, key: sortKey(board.name[id])});
    if (id % 1000 === 999) yield;
  }
  const groups = [];
  for (const {name, value} of sorted(pools)) {
    const racks = [];
    for (const rack of sorted(value)) {
      rack.value.sort(byKey);
      racks.push({name: rack.name, ids: rack.value.map((node) => node.id)});
      if (racks.length % 50 === 49) yield;
    }
    const most = Math.max(1, ...racks.flatMap((rack) => rack.ids.map((id) => board.devices(id))));
    groups.push({name, racks, columns: most > 2 ? Math.ceil(most / 2) : most});
    yield;
  }
  return groups;
}

/** Measures of the boxes of a pool's nodes for cells of `wide` x `tall` pixels. */
function measures(pool, {wide, tall}, scale) {
  const {columns} = pool;
  const gap = wide >= 4 ? 2 : 1;
  const width = columns * wide + gap + 1;
  const isLabelled = pool.racks.some((rack) => rack.name) && width >= WIDE_ENOUGH * scale;
  return {wide, tall, gap, columns, width, height: 2 * tall + gap + 1, label: isLabelled ? LABEL * scale : 0};
}

/**
 * Places the racks of a pool from `top` on. `place(id, x, y)` and `label(name, x, y)` are told; both
 * may be null. Returns where the pool ends.
 */
function placePool(pool, box, width, top, place, label) {
  const rackGap = Math.max(2, box.wide);
  let x = 0;
  let y = top;
  let lineHeight = 0;
  for (const rack of pool.racks) {
    const perStack = rack.name ? Math.min(rack.ids.length, MOST_IN_STACK) : 1;
    for (let from = 0; from < rack.ids.length; from += perStack) {
      if (x + box.width > width && x > 0) {
        x = 0;
        y += lineHeight + (rack.name ? rackGap : 0);
        lineHeight = 0;
      }
      const until = Math.min(from + perStack, rack.ids.length);
      const first = y + box.label;
      if (label && box.label > 0 && rack.name) label(rack.name, x, y);
      if (place) for (let i = from; i < until; ++i) place(rack.ids[i], x, first + (i - from) * box.height);
      lineHeight = Math.max(lineHeight, box.label + (until - from) * box.height);
      x += box.width;
    }
    if (rack.name) x += rackGap;
  }
  return y + lineHeight;
}

function heightFor(groups, cell, width, heading, scale) {
  let y = 0;
  for (const pool of groups) {
    y = placePool(pool, measures(pool, cell, scale), width, y + heading) + cell.tall;
  }
  return y;
}

/** The greatest number from `low` to `high` for which `fits` holds; `low` if it holds for none. */
function greatest(low, high, fits) {
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The largest cell with which everything fits: a square, which then grows in one direction. */
function fittingCell(groups, width, height, scale, heading) {
  const fits = (wide, tall) => heightFor(groups, {wide, tall}, width, heading, scale) <= height;
  const largest = Math.round(LARGEST_CELL * scale);
  const side = greatest(1, largest, (length) => fits(length, length));
  const longest = Math.min(largest, 2 * side + 1);
  const tall = greatest(side, longest, (length) => fits(side, length));
  const wide = greatest(side, longest, (length) => fits(length, tall));
  return {wide, tall};
}

/** Places of all nodes in a picture of `width` x `height` pixels; `scale`: pixels per CSS pixel. */
export class Layout {
  constructor(board, groups, width, height, scale) {
    this.groups = groups;
    this.scale = scale;
    this.width = width;
    const heading = Math.round(HEADING * scale);
    const cell = fittingCell(groups, width, height, scale, heading);
    this.x = new Int32Array(board.capacity);
    this.y = new Int32Array(board.capacity);
    this.order = [];
    this.boxOf = new Uint8Array(board.capacity); // index of the node's pool
    this.boxes = [];
    this.labels = []; // texts, in the order in which they are drawn
    let y = 0;
    for (const [index, pool] of groups.entries()) {
      const box = measures(pool, cell, scale);
      this.boxes.push(box);
      this.labels.push({name: pool.name, x: 0, y, width, size: 13 * scale});
      y = placePool(pool, box, width, y + heading, (id, left, top) => {
        this.x[id] = left;
        this.y[id] = top;
        this.boxOf[id] = index;
        this.order.push(id);
      }, (name, left, top) => {
        const short = name.split(' / ').at(-1); // the narrowest domain
        this.labels.push({name: short, x: left, y: top, width: box.width, size: 10 * scale});
      }) + cell.tall;
    }
    this.height = Math.max(height, y);
  }

  box(id) {
    return this.boxes[this.boxOf[id]];
  }

  /** The node at a place, or -1. */
  at(x, y) {
    for (const id of this.order) {
      const box = this.box(id);
      if (x >= this.x[id] && x < this.x[id] + box.width && y >= this.y[id] &&
          y < this.y[id] + box.height) {
        return id;
      }
    }
    return -1;
  }

  /** The nearest node above (-1) or below (1) another one, or that one. */
  beside(id, direction) {
    let best = id;
    let nearest = Infinity;
    for (const other of this.order) {
      const down = (this.y[other] - this.y[id]) * direction;
      if (down <= 0) continue;
      const distance = down * 4 + Math.abs(this.x[other] - this.x[id]);
      if (distance < nearest) [best, nearest] = [other, distance];
    }
    return best;
  }
}

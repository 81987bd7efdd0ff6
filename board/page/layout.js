// Where each node is drawn: pools one below the other, in each its racks side by side, in each rack
// its nodes in stacks. Nodes without a rack stand in lines. All lengths are in pixels of the screen.
// The cells are as large as they can be with everything in one picture, and the stacks of a pool are
// as high as makes it lowest.

const LARGEST_CELL = 28;
const HEADING = 20; // above each pool, in CSS pixels
const LABEL = 15; // above each rack, where it is wide enough for its name
const WIDE_ENOUGH = 44;
const STACKS = [24, 16, 12, 8, 6, 4, 3, 2, 1]; // nodes of a rack one below the other

/** A text by which names with numbers sort as people expect: node-9 before node-10. */
export function sortKey(name) {
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
  const rackGap = Math.max(3, Math.round(wide / 2) + gap);
  return {wide, tall, gap, rackGap, columns, scale, width: columns * wide + gap + 1, height: 2 * tall + gap + 1};
}

/** A pool's racks as blocks: nodes one below the other, `stack` at most, then the next ones beside them. */
function blocksOf(pool, box, width, stack) {
  const most = Math.max(1, Math.floor(width / box.width));
  const block = (name, ids) => {
    const high = Math.min(ids.length, Math.max(stack, Math.ceil(ids.length / most)));
    const across = Math.ceil(ids.length / high);
    return {name, ids, high, width: across * box.width, gap: name ? box.rackGap : 0};
  };
  return pool.racks.flatMap((rack) =>
    (rack.name ? [block(rack.name, rack.ids)] : rack.ids.map((id) => block('', [id]))));
}

/** How high the names above the racks are: 0 if the racks are too narrow for them. */
function labelHeight(blocks, scale) {
  const named = blocks.filter((block) => block.name);
  return named.length > 0 && named.every((block) => block.width >= WIDE_ENOUGH * scale) ? LABEL * scale : 0;
}

/**
 * Places the racks of a pool from `top` on. `place(id, x, y)` and `label(block, x, y)` are told; both
 * may be null. Returns where the pool ends.
 */
function placePool(pool, box, width, top, stack, place, label) {
  const blocks = blocksOf(pool, box, width, stack);
  const labels = labelHeight(blocks, box.scale);
  let x = 0;
  let y = top;
  let lineHeight = 0;
  for (const block of blocks) {
    if (x + block.width > width && x > 0) {
      x = 0;
      y += lineHeight + block.gap;
      lineHeight = 0;
    }
    const first = y + labels;
    if (label && labels > 0 && block.name) label(block, x, y);
    if (place) {
      block.ids.forEach((id, i) =>
        place(id, x + Math.floor(i / block.high) * box.width, first + (i % block.high) * box.height));
    }
    lineHeight = Math.max(lineHeight, labels + block.high * box.height);
    x += block.width + block.gap;
  }
  return y + lineHeight;
}

/** The stack with which the pool is lowest, the highest one of several, and how high the pool then is. */
function lowest(pool, box, width) {
  let best = {high: Infinity};
  for (const stack of STACKS) {
    const high = placePool(pool, box, width, 0, stack, null, null);
    if (high < best.high) best = {stack, high};
  }
  return best;
}

function heightFor(groups, cell, width, heading, scale) {
  return groups.reduce((sum, pool) =>
    sum + heading + lowest(pool, measures(pool, cell, scale), width).high + cell.tall, 0);
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
      y = placePool(pool, box, width, y + heading, lowest(pool, box, width).stack, (id, left, top) => {
        this.x[id] = left;
        this.y[id] = top;
        this.boxOf[id] = index;
        this.order.push(id);
      }, (block, left, top) => {
        const short = block.name.split(' / ').at(-1); // the narrowest domain
        this.labels.push({name: short, x: left, y: top, width: block.width, size: 10 * scale});
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

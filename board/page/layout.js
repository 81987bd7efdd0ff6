// Where each node is drawn: pools one below the other, in each its racks side by side, in each rack
// its nodes in stacks. Nodes without a rack stand in lines. All lengths are in pixels of the screen.
// The cells are as large as they can be with everything in the window, and the stacks of a pool are as
// high as makes it lowest. Where not even the smallest cells fit, the picture is higher than the window, and scrolls.

const LARGEST_CELL = 28;
const SCROLLED_CELL = 8; // where the picture is to be scrolled anyway: large enough to be told apart, in CSS pixels
const HIGHEST = 16384; // pixels of a canvas that all browsers draw
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
    if (id % 100 === 99) yield;
  }
  const groups = [];
  for (const {name, value} of sorted(pools)) {
    const racks = [];
    for (const rack of sorted(value)) {
      rack.value.sort(byKey);
      racks.push({name: rack.name, ids: rack.value.map((node) => node.id)});
      if (racks.length % 50 === 49) yield;
    }
    const most = Math.max(1, ...racks.flatMap((rack) => rack.ids.map((id) => board.cells(id))));
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

/** How many nodes of a rack stand one below the other: `stack`, or more if the rack would get too wide. */
function stackOf(rack, box, width, stack) {
  const most = Math.max(1, Math.floor(width / box.width));
  return Math.min(rack.ids.length, Math.max(stack, Math.ceil(rack.ids.length / most)));
}

function widthOf(rack, box, high) {
  return Math.ceil(rack.ids.length / high) * box.width;
}

/** How high the names above the racks are: 0 if a rack is too narrow for its name. */
function labelHeight(pool, box, width, stack) {
  const isWide = (rack) => widthOf(rack, box, stackOf(rack, box, width, stack)) >= WIDE_ENOUGH * box.scale;
  const named = pool.racks.filter((rack) => rack.name);
  return named.length > 0 && named.every(isWide) ? LABEL * box.scale : 0;
}

/**
 * Places the racks of a pool from `top` on. `put(rack, first, high, x, y)` is told where the node at
 * index `first` of a rack stands, and how many stand one below the other from there on; it may be
 * null. Returns where the pool ends. Many layouts are tried, so no objects are made here.
 */
function placePool(pool, box, width, top, stack, labels, put) {
  let x = 0;
  let y = top;
  let lineHeight = 0;
  for (const rack of pool.racks) {
    const high = rack.name ? stackOf(rack, box, width, stack) : 1;
    const step = rack.name ? rack.ids.length : 1; // nodes without a rack stand alone
    const wide = rack.name ? widthOf(rack, box, high) : box.width;
    const gap = rack.name ? box.rackGap : 0;
    for (let first = 0; first < rack.ids.length; first += step) {
      if (x + wide > width && x > 0) {
        x = 0;
        y += lineHeight + gap;
        lineHeight = 0;
      }
      if (put) put(rack, first, high, x, y);
      lineHeight = Math.max(lineHeight, labels + high * box.height);
      x += wide + gap;
    }
  }
  return y + lineHeight;
}

/** The stack with which the pool is lowest, the highest one of several, and how high the pool then is. */
function* lowest(pool, box, width) {
  let best = {high: Infinity};
  for (const stack of pool.racks.some((rack) => rack.name) ? STACKS : [1]) {
    const labels = labelHeight(pool, box, width, stack);
    const high = placePool(pool, box, width, 0, stack, labels, null);
    if (high < best.high) best = {stack, high, labels};
    yield;
  }
  return best;
}

/** Whether all pools fit below each other. */
function* fits(groups, cell, {width, height, heading, scale}) {
  let y = 0;
  for (const pool of groups) {
    const {high} = yield* lowest(pool, measures(pool, cell, scale), width);
    y += heading + high + cell.tall;
    if (y > height) return false;
  }
  return true;
}

/** The greatest number from `low` to `high` for which `holds` returns true; `low` if it holds for none. */
function* greatest(low, high, holds) {
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (yield* holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * The largest cell with which everything fits: a square, which then grows in one direction. Where not even the
 * smallest one does, the picture is to be scrolled, and the cell is the largest one with which it can be drawn.
 */
function* fittingCell(groups, window) {
  const largest = Math.round(LARGEST_CELL * window.scale);
  const side = yield* greatest(0, largest, (length) => fits(groups, {wide: length, tall: length}, window));
  if (side === 0) {
    const canvas = {...window, height: HIGHEST};
    const most = Math.round(SCROLLED_CELL * window.scale);
    const length = yield* greatest(1, most, (each) => fits(groups, {wide: each, tall: each}, canvas));
    return {wide: length, tall: length};
  }
  const longest = Math.min(largest, 2 * side + 1);
  const tall = yield* greatest(side, longest, (length) => fits(groups, {wide: side, tall: length}, window));
  const wide = yield* greatest(side, longest, (length) => fits(groups, {wide: length, tall}, window));
  return {wide, tall};
}

/**
 * Places of all nodes in a picture of `width` x `height` pixels, or a higher one if they do not fit; `scale`:
 * pixels per CSS pixel.
 */
export class Layout {
  /** Makes a layout, in steps. */
  static* make(board, groups, width, height, scale) {
    const window = {width, height, scale, heading: Math.round(HEADING * scale)};
    const layout = new Layout(board, groups, window);
    yield* layout.placeAll(yield* fittingCell(groups, window), window);
    return layout;
  }

  /** Places nothing yet. */
  constructor(board, groups, {width, scale}) {
    this.groups = groups;
    this.scale = scale;
    this.width = width;
    this.x = new Int32Array(board.capacity);
    this.y = new Int32Array(board.capacity);
    this.order = [];
    this.boxOf = new Uint16Array(board.capacity); // index of the node's pool
    this.boxes = [];
    this.labels = []; // texts, in the order in which they are drawn
  }

  * placeAll(cell, {width, height, heading, scale}) {
    let y = 0;
    for (const [index, pool] of this.groups.entries()) {
      const box = measures(pool, cell, scale);
      const {stack, labels} = yield* lowest(pool, box, width);
      this.boxes.push(box);
      this.labels.push({name: pool.name, x: 0, y, width, size: 13 * scale});
      y = placePool(pool, box, width, y + heading, stack, labels, (rack, first, high, left, top) => {
        if (rack.name) this.placeRack(index, rack, high, left, top, labels);
        else this.placeNode(index, rack.ids[first], left, top);
      }) + cell.tall;
      yield;
    }
    this.height = Math.max(height, Math.min(y, HIGHEST));
  }

  placeRack(index, rack, high, left, top, labels) {
    const box = this.boxes[index];
    if (labels > 0) {
      const name = rack.name.split(' / ').at(-1); // the narrowest domain
      this.labels.push({name, x: left, y: top, width: widthOf(rack, box, high), size: 10 * this.scale});
    }
    rack.ids.forEach((id, i) => this.placeNode(index, id, left + Math.floor(i / high) * box.width,
        top + labels + (i % high) * box.height));
  }

  placeNode(index, id, x, y) {
    this.x[id] = x;
    this.y[id] = y;
    this.boxOf[id] = index;
    this.order.push(id);
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

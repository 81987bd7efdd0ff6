// Draws the nodes. Pixels are computed here and handed to the canvas: 60,000 rectangles would take
// the canvas several frames. Every state has a pattern beside its colour.

const BUDGET = 4; // milliseconds of drawing in one frame

/**
 * How states are told apart beside their colours where there is no room for a sign: whether a place has
 * the colour of the state, and not that of the background. Those that are not here are solid.
 */
export const PATTERNS = {
  planned: (i, j) => (i + j) % 3 !== 0,
  broken: (i, j) => (i + j) % 2 === 0,
};

/** Colours by the names of the style sheet, as the canvas stores them. */
export function readColours() {
  const style = getComputedStyle(document.documentElement);
  const colours = {};
  for (const name of ['back', 'held', 'planned', 'free', 'broken', 'frame', 'found', 'dim', 'line', 'text']) {
    const hex = style.getPropertyValue(`--${name}`).trim();
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
    colours[name] = (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0;
  }
  return colours;
}

/** The beginning of a text that fits a width. */
function shortened(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let length = text.length - 1;
  while (length > 0 && context.measureText(`${text.slice(0, length)}…`).width > width) --length;
  return `${text.slice(0, length)}…`;
}

/** Pixels of a canvas, in the order of its memory. */
export class Pixels {
  constructor(width, height) {
    this.image = new ImageData(width, height);
    this.values = new Uint32Array(this.image.data.buffer);
    this.width = width;
    this.height = height;
  }

  /** Fills a rectangle: solid, or where pattern(x, y) says so, and else with `other`. */
  fill(left, top, width, height, colour, pattern, other) {
    const right = Math.min(left + width, this.width);
    const bottom = Math.min(top + height, this.height);
    for (let y = top; y < bottom; ++y) {
      const row = y * this.width;
      if (!pattern) this.values.fill(colour, row + left, row + right);
      else for (let x = left; x < right; ++x) this.values[row + x] = pattern(x - left, y - top) ? colour : other;
    }
  }

  frame(left, top, width, height, colour) {
    this.fill(left, top, width, 1, colour);
    this.fill(left, top + height - 1, width, 1, colour);
    this.fill(left, top, 1, height, colour);
    this.fill(left + width - 1, top, 1, height, colour);
  }

  /** A frame of dashes with gaps as long as they are, where what was drawn before stays. */
  dashes(left, top, width, height, colour, length) {
    const isDash = (at) => at % (2 * length) < length;
    const right = left + width - 1;
    const bottom = top + height - 1;
    for (let x = left; x <= right && x < this.width; ++x) {
      if (!isDash(x - left)) continue;
      if (top < this.height) this.values[top * this.width + x] = colour;
      if (bottom < this.height) this.values[bottom * this.width + x] = colour;
    }
    for (let y = top; y <= bottom && y < this.height; ++y) {
      if (!isDash(y - top)) continue;
      if (left < this.width) this.values[y * this.width + left] = colour;
      if (right < this.width) this.values[y * this.width + right] = colour;
    }
  }
}

/**
 * Draws one cell: held solid, planned striped, free hollow, broken crossed out, found with a hole. Cells are
 * devices: a node that has none is a line.
 */
function drawCell(pixels, kind, x, y, width, height, colours) {
  if (kind === 'held' || kind === 'found' || kind === 'dim') {
    pixels.fill(x, y, width, height, colours[kind]);
    if (kind !== 'found') return;
    const hole = Math.floor(Math.min(width, height) / 3);
    pixels.fill(x + ((width - hole) >> 1), y + ((height - hole) >> 1), hole, hole, colours.back);
  } else if (kind === 'planned') {
    pixels.fill(x, y, width, height, colours.planned, PATTERNS.planned, colours.back);
  } else if (kind === 'free') {
    pixels.fill(x, y, width, height, colours.back);
    if (width > 2 && height > 2) pixels.frame(x, y, width, height, colours.free);
    else pixels.fill(x, y + height - 1, width, 1, colours.free);
  } else if (kind === 'none') {
    pixels.fill(x, y + (height >> 1), width, 1, colours.free);
  } else if (width < 5 || height < 5) {
    pixels.fill(x, y, width, height, colours.broken, PATTERNS.broken, colours.back);
  } else {
    const slope = height / width;
    pixels.fill(x, y, width, height, colours.broken, (i, j) =>
      Math.abs(j - i * slope) < 1.2 || Math.abs(height - 1 - j - i * slope) < 1.2 ||
      i === 0 || j === 0 || i === width - 1 || j === height - 1, colours.back);
  }
}

/** The samples of the legend. */
export function drawSamples(root) {
  const colours = readColours();
  for (const canvas of root.querySelectorAll('canvas.sample')) {
    canvas.width = canvas.height = 16;
    const pixels = new Pixels(16, 16);
    pixels.fill(0, 0, 16, 16, colours.back);
    if (canvas.dataset.kind === 'frame') pixels.frame(0, 0, 16, 16, colours.frame);
    else drawCell(pixels, canvas.dataset.kind, 1, 1, 14, 14, colours);
    if (canvas.dataset.kind === 'found') pixels.dashes(0, 0, 16, 16, colours.found, 2);
    canvas.getContext('2d').putImageData(pixels.image, 0, 0);
  }
}

export class Picture {
  constructor(canvas, board) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', {alpha: false});
    this.board = board;
    this.layout = null;
    this.found = null; // a Set of ids, or null: nothing is searched
    this.foundOwners = new Set(); // numbers of words
    this.dirty = new Set();
    canvas.hidden = true;
  }

  /** Begins anew with another layout. All nodes are drawn in the next frames. */
  setLayout(layout) {
    this.layout = layout;
    const {canvas} = this;
    canvas.hidden = false;
    if (canvas.width !== layout.width || canvas.height !== layout.height || !this.pixels) {
      canvas.width = layout.width;
      canvas.height = layout.height;
      canvas.style.width = `${layout.width / layout.scale}px`;
      canvas.style.height = `${layout.height / layout.scale}px`;
      this.pixels = new Pixels(layout.width, layout.height);
    }
    this.redraw();
  }

  /** Marks what a search has found; see `found` and `foundOwners`. */
  mark(found, owners) {
    this.found = found;
    this.foundOwners = owners;
    if (this.layout) this.dirty = new Set(this.layout.order);
  }

  /** The colours have changed, or the places. */
  redraw() {
    if (!this.layout) return;
    this.colours = readColours();
    this.pixels.values.fill(this.colours.back);
    this.context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--back');
    this.context.fillRect(0, 0, this.layout.width, this.layout.height);
    this.drawLabels();
    this.dirty = new Set(this.layout.order);
  }

  /** Writes the names of pools and racks. They are not among the pixels, which cover them. */
  drawLabels() {
    const {context, layout} = this;
    const style = getComputedStyle(document.documentElement);
    const [back, text] = [style.getPropertyValue('--back'), style.getPropertyValue('--text')];
    context.textBaseline = 'top';
    for (const {name, x, y, width, size} of layout.labels) {
      context.font = `${size}px system-ui, "DejaVu Sans", sans-serif`;
      context.fillStyle = back;
      context.fillRect(x, y, width, size * 1.4);
      context.fillStyle = text;
      context.fillText(shortened(context, name, width), x, y + 2 * layout.scale);
    }
  }

  /** Draws nodes until the time is over. Returns whether any are left. */
  draw() {
    const end = performance.now() + BUDGET;
    let drawn = 0;
    const area = {left: Infinity, top: Infinity, right: 0, bottom: 0};
    for (const id of this.dirty) {
      this.dirty.delete(id);
      if (!this.board.has(id)) continue;
      this.drawNode(id);
      const box = this.layout.box(id);
      area.left = Math.min(area.left, this.layout.x[id]);
      area.top = Math.min(area.top, this.layout.y[id]);
      area.right = Math.max(area.right, this.layout.x[id] + box.width);
      area.bottom = Math.max(area.bottom, this.layout.y[id] + box.height);
      if (++drawn % 16 === 0 && performance.now() > end) break;
    }
    if (drawn > 0) this.show(area);
    return this.dirty.size > 0;
  }

  show({left, top, right, bottom}) {
    this.context.putImageData(this.pixels.image, 0, 0, left, top, right - left, bottom - top);
    this.drawLabels();
  }

  drawNode(id) {
    const {board, layout, pixels, colours} = this;
    const box = layout.box(id);
    const x = layout.x[id];
    const y = layout.y[id];
    const inner = box.width - box.gap;
    const high = box.height - box.gap;
    pixels.fill(x, y, box.width, box.height, colours.back);
    const kinds = this.kindsOf(id);
    const cells = kinds.length;
    if (cells === 0) drawCell(pixels, 'none', x + 1, y + 1, Math.max(1, inner - 2), Math.max(1, high - 2), colours);
    const columns = cells > 2 ? Math.ceil(cells / 2) : Math.max(1, cells);
    const height = cells > 2 ? box.tall : 2 * box.tall;
    const width = Math.max(1, Math.floor((box.columns * box.wide) / Math.max(columns, box.columns)));
    const line = box.wide >= 3 && box.tall >= 3 ? 1 : 0;
    for (let i = 0; i < cells; ++i) {
      const left = x + 1 + (i % columns) * width;
      const top = y + 1 + Math.floor(i / columns) * height;
      drawCell(pixels, kinds[i], left, top, width - line, height - line, colours);
    }
    const isBad = board.status[id] !== 0;
    if (isBad) pixels.frame(x, y, inner, high, colours.frame);
    if (!this.found?.has(id)) return;
    // Within the other frame, so that both are seen, and dashed, so that neither is taken for the other.
    const inset = isBad ? 1 : 0;
    pixels.dashes(x + inset, y + inset, Math.max(1, inner - 2 * inset), Math.max(1, high - 2 * inset),
        colours.found, Math.max(1, Math.round(box.wide / 3)));
  }

  /** What each cell of the node is, in the order in which they are drawn. */
  kindsOf(id) {
    const {board} = this;
    const held = board.held[id];
    const isOwned = this.foundOwners.size > 0 && held.some((word, i) => i % 2 === 0 && this.foundOwners.has(word));
    const isDim = this.found !== null && (isOwned || !this.found.has(id));
    const heldKind = isDim ? 'dim' : 'held';
    const numbers = [[heldKind, board.heldCount[id]], ['planned', board.plannedCount[id]],
      ['free', board.free[id]], ['broken', board.broken[id]]].filter(([, number]) => number > 0);
    const kinds = [];
    let devices = 0;
    for (const [i, [kind, number]] of numbers.entries()) {
      devices += number;
      // Where a cell stands for several devices, every kind has one all the same.
      const most = board.cells(id) - (numbers.length - 1 - i);
      const end = Math.max(kinds.length + 1, Math.min(Math.ceil(devices / board.perCell[id]), most));
      while (kinds.length < end) kinds.push(kind);
    }
    if (isOwned) this.markOwners(id, kinds, kinds.lastIndexOf(heldKind) + 1);
    return kinds;
  }

  /**
   * Marks the cells of the owners that were found among the first `cells`, which are held. First come
   * those that an owner has alone, then those that several share: such a cell belongs to each of them.
   */
  markOwners(id, kinds, cells) {
    const {board} = this;
    const held = board.held[id];
    const perCell = board.perCell[id];
    let at = 0; // in devices
    const mark = (word, devices) => {
      if (devices > board.noDevice && this.foundOwners.has(word)) {
        const begin = Math.floor((at + board.noDevice) / perCell);
        const end = Math.ceil((at + devices - board.noDevice) / perCell);
        kinds.fill('found', Math.min(begin, cells - 1), Math.min(end, cells));
      }
      at += devices;
    };
    for (let i = 0; i < held.length; i += 2) mark(held[i], held[i + 1] - held[i + 1] % perCell);
    for (let i = 0; i < held.length; i += 2) mark(held[i], held[i + 1] % perCell);
  }
}

// What the page knows of the cluster: columns of numbers by the node's id, and shared texts. 7,500
// objects would take several times the memory.

const GROW = 1024;

function sumOf(shares) {
  let sum = 0;
  for (let i = 1; i < shares.length; i += 2) sum += shares[i];
  return sum;
}

export class BoardModel {
  constructor() {
    this.offset = 0; // of the server's clock from this one, in seconds
    this.reset();
  }

  /** Forgets everything. */
  reset() {
    this.words = [];
    this.name = [];
    this.held = [];
    this.planned = [];
    this.size = 0;
    this.capacity = 0;
    this.pools = [];
    this.waiting = {total: 0, rows: []};
    this.noDevice = 0; // parts of devices, such as sevenths, do not add up exactly: less than this is none
    this.grow(GROW);
  }

  grow(capacity) {
    const grown = (Type, old) => {
      const column = new Type(capacity);
      if (old && this.capacity > 0) column.set(old);
      return column;
    };
    this.pool = grown(Uint32Array, this.pool);
    this.rack = grown(Uint32Array, this.rack);
    this.status = grown(Uint8Array, this.status);
    this.reason = grown(Uint32Array, this.reason);
    this.since = grown(Float64Array, this.since);
    this.free = grown(Int32Array, this.free);
    this.broken = grown(Int32Array, this.broken);
    this.heldCount = grown(Int32Array, this.heldCount);
    this.plannedCount = grown(Int32Array, this.plannedCount);
    this.perCell = grown(Int32Array, this.perCell);
    this.capacity = capacity;
  }

  /** The server's time, in seconds since 1970. */
  now() {
    return Date.now() / 1000 + this.offset;
  }

  has(id) {
    return this.name[id] !== undefined;
  }

  /** How many devices the node has. */
  devices(id) {
    return this.heldCount[id] + this.plannedCount[id] + this.free[id] + this.broken[id];
  }

  /** In how many cells the node is drawn. */
  cells(id) {
    return Math.ceil(this.devices(id) / this.perCell[id]);
  }

  /** How many devices the parts in `devices` take, which may be a fraction. */
  wholeDevices(devices) {
    return Math.ceil(devices - this.noDevice);
  }

  /**
   * Takes over what the server says has changed, in steps, so that no frame gets long. Returns what
   * has changed: {ids, places, pools, waiting, anew}; `places`: whether nodes have come, gone or
   * moved; `anew`: whether everything was told, and numbers of words may mean something else.
   */
  *apply(picture) {
    const changed = {ids: [], places: false, pools: false, waiting: false, anew: false};
    if (picture.since === 0 && picture.first) {
      this.reset();
      changed.places = true;
      changed.anew = true;
    }
    this.noDevice = picture.noDevice;
    this.words.length = picture.words.from;
    for (const word of picture.words.add) this.words.push(word);
    for (const id of picture.gone ?? []) {
      changed.places ||= this.has(id);
      this.name[id] = undefined;
    }
    const nodes = picture.nodes;
    for (let i = 0; i < nodes.id.length; ++i) {
      changed.places = this.setNode(nodes, i) || changed.places;
      changed.ids.push(nodes.id[i]);
      if (i % 100 === 99) yield;
    }
    if (picture.pools) [this.pools, changed.pools] = [picture.pools, true];
    if (picture.waiting) [this.waiting, changed.waiting] = [picture.waiting, true];
    return changed;
  }

  /** Returns whether the node is new or stands elsewhere. */
  setNode(nodes, i) {
    const id = nodes.id[i];
    if (id >= this.capacity) this.grow(Math.max(id + 1, this.capacity * 2));
    this.size = Math.max(this.size, id + 1);
    const before = this.has(id) ? this.devices(id) : -1;
    const moved = this.name[id] !== nodes.name[i] || this.pool[id] !== nodes.pool[i] ||
        this.rack[id] !== nodes.rack[i];
    this.name[id] = nodes.name[i];
    this.pool[id] = nodes.pool[i];
    this.rack[id] = nodes.rack[i];
    this.status[id] = nodes.status[i];
    this.reason[id] = nodes.reason[i];
    this.since[id] = nodes.since[i];
    this.free[id] = nodes.free[i];
    this.broken[id] = nodes.broken[i];
    this.held[id] = nodes.held[i];
    this.planned[id] = nodes.planned[i];
    const held = sumOf(nodes.held[i]);
    this.heldCount[id] = this.wholeDevices(held);
    // A planned slice may get a part of a device of which another part is held.
    this.plannedCount[id] = this.wholeDevices(held + sumOf(nodes.planned[i])) - this.heldCount[id];
    this.perCell[id] = nodes.perCell[i];
    return moved || before !== this.devices(id);
  }

  /** The id of the node with that name, or -1. */
  find(name) {
    return this.name.indexOf(name);
  }
}

// The pools: a table of what they have now, with bars of how it was.

import {sortKey} from './layout.js';
import {PATTERNS, Pixels, readColours} from './picture.js';
import {element} from './words.js';

const BARS = 120;
const GRAIN = 2; // CSS pixels that one of a pattern takes: as fine as in small cells it would look like a colour
const KINDS = ['held', 'planned', 'broken', 'free'];

/** The pattern of a state in the place of a bar, which goes on in the bars beside it. */
function patternAt(kind, left, top, grain) {
  const pattern = PATTERNS[kind];
  return pattern && ((i, j) => pattern(Math.floor((left + i) / grain), Math.floor((top + j) / grain)));
}

/**
 * Draws the bars of one pool, from the bottom: held, planned, broken, with the patterns of the cells; what is
 * free is pale.
 */
function drawBars(canvas, pool, colours) {
  const scale = devicePixelRatio;
  const [width, height] = [Math.max(1, Math.round(canvas.clientWidth * scale)), Math.round(40 * scale)];
  [canvas.width, canvas.height] = [width, height];
  const pixels = new Pixels(width, height);
  const grain = Math.max(1, Math.round(GRAIN * scale));
  const bars = pool.held.length;
  for (let i = 0; i < bars; ++i) {
    const all = KINDS.reduce((sum, kind) => sum + (pool[kind][i] ?? 0), 0);
    const left = Math.floor((i * width) / bars);
    const right = Math.max(left + 1, Math.floor(((i + 1) * width) / bars) - (width > 4 * bars ? 1 : 0));
    if (pool.held[i] === null || all === 0) {
      pixels.fill(left, height - 1, right - left, 1, colours.line); // nothing is known of that time, or there were no devices
      continue;
    }
    let bottom = height;
    for (const kind of KINDS) {
      const top = Math.max(0, bottom - Math.round((pool[kind][i] / all) * height));
      pixels.fill(left, top, right - left, bottom - top, colours[kind === 'free' ? 'dim' : kind],
          patternAt(kind, left, top, grain), colours.back);
      bottom = top;
    }
  }
  canvas.getContext('2d').putImageData(pixels.image, 0, 0);
}

/** "held 80 % on average", for those who do not see the bars. */
function describeBars(pool) {
  let held = 0;
  let all = 0;
  pool.held.forEach((value, i) => {
    if (value === null) return;
    held += value;
    all += KINDS.reduce((sum, kind) => sum + pool[kind][i], 0);
  });
  return all === 0 ? 'nothing is known yet' : `on average ${Math.round((100 * held) / all)} % were held`;
}

export class Pools {
  constructor(root, board, server) {
    this.rows = root.querySelector('#pool-rows');
    this.span = root.querySelector('#span');
    this.board = board;
    this.server = server;
    this.history = new Map();
    this.span.addEventListener('change', () => this.refresh());
    setInterval(() => document.visibilityState === 'visible' && this.refresh(), 15_000);
  }

  /** Shows what the pools have now. */
  show() {
    const key = (pool) => sortKey(pool.name); // the order of the picture
    const pools = this.board.pools.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
    this.rows.replaceChildren(...pools.flatMap((pool) => this.rowsOf(pool)));
    this.draw();
  }

  rowsOf(pool) {
    const devices = pool.held + pool.planned + pool.free + pool.broken;
    const number = (value) => element('td', {class: 'number'}, String(value));
    const row = element('tr', {'data-pool': pool.name},
        element('th', {scope: 'row'}, pool.name), number(pool.nodes), number(pool.held),
        number(pool.planned), number(pool.free), number(pool.broken));
    if (devices === 0) return [row];
    const bars = element('canvas', {class: 'bars', role: 'img', 'data-pool': pool.name});
    return [row, element('tr', {}, element('td', {colspan: '6'}, bars))];
  }

  async refresh() {
    try {
      const told = await this.server.json('/api/history', {seconds: this.span.value, bars: BARS});
      this.history = new Map(told.pools.map((pool) => [pool.name, pool]));
      this.draw();
    } catch {
      // The stream says so where the server is away.
    }
  }

  draw() {
    const colours = readColours();
    for (const canvas of this.rows.querySelectorAll('canvas')) {
      const pool = this.history.get(canvas.dataset.pool);
      const span = this.span.selectedOptions[0].text;
      const what = pool ? describeBars(pool) : 'nothing is known yet';
      canvas.setAttribute('aria-label', `${canvas.dataset.pool} over the last ${span}: ${what}`);
      if (pool) drawBars(canvas, pool, colours);
    }
  }
}

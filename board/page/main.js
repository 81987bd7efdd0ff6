// Brings the parts of the page together: the server's events change the model, and what shows the
// changed parts is drawn anew, a little in each frame.

import {Details} from './details.js';
import {Pools} from './history.js';
import {group, Layout} from './layout.js';
import {NodeList, OwnerList, Search, WaitingList} from './lists.js';
import {BoardModel} from './model.js';
import {drawSamples, Picture} from './picture.js';
import {Server, Stream} from './stream.js';
import {age, describeNode, write} from './words.js';

const STEP = 4; // milliseconds of work in one frame
const AGES = 5000; // milliseconds from one look at the clock to the next
const NEXT_FRAME = 'next frame'; // yielded where the browser is to lay out and paint first

const $ = (id) => document.getElementById(id);

/**
 * Keeps the token from the address, which then loses it, so that nobody copies it by accident.
 * Returns whether there was one.
 */
function takeToken() {
  const given = location.hash.slice(1);
  if (!/^[0-9a-f]{64}$/.test(given)) return false;
  sessionStorage.setItem('token', given);
  history.replaceState(null, '', '/');
  return true;
}

function nextFrame() {
  // Frames do not come while the page is hidden.
  return document.visibilityState === 'visible' ? new Promise(requestAnimationFrame) :
    new Promise((resolve) => { setTimeout(resolve, 50); });
}

/**
 * Runs a generator to its end, a little in each frame. Returns its result. It begins in the next frame,
 * so that generators that follow each other do not add up in one.
 */
async function inSteps(steps) {
  for (;;) {
    await nextFrame();
    const end = performance.now() + STEP;
    do {
      const {done, value} = steps.next();
      if (done) return value;
      if (value === NEXT_FRAME) break;
    } while (performance.now() < end);
  }
}

class Page {
  constructor() {
    this.board = new BoardModel();
    takeToken();
    this.server = new Server(sessionStorage.getItem('token') ?? '');
    this.picture = new Picture($('nodes'), this.board);
    this.details = new Details(document, this.board, this.server);
    const open = {
      node: (name) => this.details.node(name),
      pod: (namespace, name) => this.details.pod(namespace, name),
    };
    this.open = open;
    this.nodes = new NodeList(document, this.board, open);
    this.waiting = new WaitingList(document, this.board, open);
    this.pools = new Pools(document, this.board, this.server);
    this.owners = new OwnerList(document, this.board, (owner) => this.search.findOwner(owner));
    this.search = new Search(document, this.board, this.server, open, (word) => this.owners.held(word), (ids, owners) => {
      this.picture.mark(ids, owners);
      this.schedule();
    });
    this.cursor = -1; // the id of the node that the keyboard was moved to
    this.cursorName = ''; // its name, because another node may get the id
    this.told = ''; // the name of the node that the line above the picture tells of; empty: of none
    this.health = null;
    this.isConnected = null; // not known yet
    this.drawings = 0; // how often everything was drawn
    this.changed = null; // what was changed and is not shown yet
    this.isPartial = false; // whether a change has come in part: the model may lack nodes
    this.listenToPicture();
    this.listenToTheme();
    new ResizeObserver(() => this.relayout()).observe($('picture'));
    setInterval(() => this.showHealth(), 1000);
    setInterval(() => this.showAges(), AGES);
    this.stream = new Stream(this.server, {
      onEvent: (event, object) => this.onEvent(event, object),
      onConnected: () => this.setConnected(true),
      onLost: () => this.setConnected(false),
      onRefused: (text) => {
        this.refusal = text;
        this.showHealth();
      },
    });
    this.stream.run();
    addEventListener('hashchange', () => takeToken() && this.onToken());
  }

  /**
   * Somebody has opened another address in this tab, as of a board that was started anew. Browsers
   * load nothing if only what is behind the # differs.
   */
  onToken() {
    this.server.token = sessionStorage.getItem('token');
    this.refusal = '';
    this.isConnected = null;
    this.showHealth();
    this.stream.renew();
  }

  /** Time passes also where nothing changes. */
  showAges() {
    const now = this.board.now();
    for (const time of document.querySelectorAll('time')) {
      write(time, age(Date.parse(time.dateTime) / 1000, now));
    }
    if (!this.isPartial) this.showTold();
    // Heartbeats are no change of the picture.
    if (this.isConnected) this.details.onChange();
  }

  async onEvent(event, object) {
    this.board.offset = object.time - Date.now() / 1000;
    this.health = object.health;
    if (event === 'change') await this.onChange(object);
    this.showHealth();
  }

  async onChange(message) {
    write($('cluster-name'), message.cluster);
    $('scope').hidden = message.namespace === '';
    write($('scope'), `Only pods of namespace ${message.namespace} are known: devices that ` +
      'other namespaces hold look free.');
    this.isPartial = true;
    this.collect(await inSteps(this.board.apply(message.picture)));
    if (message.picture.more) return;
    this.isPartial = false;
    const changed = this.changed;
    this.changed = null;
    if (changed.places) {
      this.groups = await inSteps(group(this.board));
      await this.relayout();
    }
    for (const id of changed.ids) this.picture.dirty.add(id);
    this.schedule();
    while (this.isDrawing) await nextFrame();
    await inSteps(this.showLists(changed));
    this.showTold();
    this.details.onChange();
    this.search.onChange(changed.anew);
    document.documentElement.dataset.revision = message.picture.revision;
  }

  /** A change may come in several messages, which are shown together. */
  collect(part) {
    const before = this.changed;
    this.changed = !before ? part : {
      ids: before.ids.concat(part.ids),
      places: before.places || part.places,
      pools: before.pools || part.pools,
      waiting: before.waiting || part.waiting,
      anew: before.anew || part.anew,
    };
  }

  *showLists(changed) {
    if (changed.pools) this.pools.show();
    if (changed.pools && (changed.anew || this.pools.history.size === 0)) this.pools.refresh();
    yield NEXT_FRAME;
    if (changed.waiting) this.waiting.show();
    yield NEXT_FRAME;
    if (changed.ids.length > 0 || changed.places) yield* this.owners.show();
    yield NEXT_FRAME;
    if (changed.ids.length > 0 || changed.places) this.nodes.show();
  }

  /** Places all nodes anew, because they or the window have changed. */
  relayout() {
    return inSteps(this.placeAll());
  }

  *placeAll() {
    if (!this.groups) return;
    const scale = devicePixelRatio;
    const width = Math.max(1, Math.floor($('picture').clientWidth * scale));
    const height = Math.max(1, Math.floor($('picture').clientHeight * scale));
    const layout = yield* Layout.make(this.board, this.groups, width, height, scale);
    yield;
    this.nodes.setOrder(layout.order, this.groups.map((pool) => pool.name));
    yield NEXT_FRAME;
    this.picture.setLayout(layout);
    this.cursor = layout.order.find((id) => this.board.name[id] === this.cursorName) ?? -1;
    this.showCursor();
    this.schedule();
  }

  /** Draws in the next frames what has to be drawn. */
  schedule() {
    if (this.isDrawing || !this.picture.layout) return;
    this.isDrawing = true;
    const draw = () => {
      this.isDrawing = this.picture.draw();
      if (this.isDrawing) return requestAnimationFrame(draw);
      if (this.board.pools.length > 0) this.noteDrawn();
    };
    requestAnimationFrame(draw);
  }

  /** When everything was drawn first, and how often it was: browsers keep each mark for as long as the page lives. */
  noteDrawn() {
    if (++this.drawings === 1) performance.mark('board-drawn');
    document.documentElement.dataset.drawings = this.drawings;
  }

  setConnected(isConnected) {
    this.isConnected = isConnected;
    this.showHealth();
  }

  showHealth() {
    let text = '';
    let old = ''; // changes with every second, and so is not in what screen readers read out
    let isTrouble = true;
    if (this.refusal) {
      text = this.refusal;
    } else if (this.isConnected === null) {
      [text, isTrouble] = ['Connecting to the board', false];
    } else if (!this.isConnected) {
      text = 'The board does not answer; what you see may be old. Trying again.';
    } else if (this.health?.trouble) {
      if (this.health.heard) old = `What you see is ${age(this.health.heard, this.board.now())} old.`;
      const what = this.health.denied ? 'The board may not watch the cluster' : 'The API server does not answer';
      text = `${what}: ${this.health.trouble}`;
    } else if (!this.health?.synced) {
      [text, isTrouble] = ['Listing nodes and pods', false];
    } else {
      [text, isTrouble] = ['Live', false];
    }
    write($('health'), text);
    $('health').classList.toggle('trouble', isTrouble);
    write($('old'), old);
    $('old').hidden = old === '';
  }

  listenToPicture() {
    const picture = $('picture');
    const nodeAt = (event) => {
      const {layout} = this.picture;
      if (!layout) return -1;
      const area = $('nodes').getBoundingClientRect(); // moves when the picture is scrolled
      return layout.at((event.clientX - area.left) * layout.scale, (event.clientY - area.top) * layout.scale);
    };
    picture.addEventListener('pointermove', (event) => {
      const id = nodeAt(event);
      if (id < 0 || !this.board.has(id)) return;
      this.told = this.board.name[id];
      this.showTold();
    });
    picture.addEventListener('click', (event) => {
      const id = nodeAt(event);
      if (id < 0 || !this.board.has(id)) return;
      this.moveTo(id);
      this.open.node(this.board.name[id]);
    });
    picture.addEventListener('keydown', (event) => this.onKey(event));
    picture.addEventListener('focus', () => {
      this.showCursor();
      // A click shows where it was meant, which must not move before it has ended.
      if (picture.matches(':focus-visible')) this.scrollToCursor();
    });
    picture.addEventListener('blur', () => { $('cursor').hidden = true; });
  }

  onKey(event) {
    const {layout} = this.picture;
    if (!layout || layout.order.length === 0) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return; // the browser's own, such as Alt+Left
    if (event.key === 'Enter' && this.cursorName !== '') {
      event.preventDefault();
      if (this.isAtNode()) return this.open.node(this.cursorName);
      return this.tell(this.cursorName);
    }
    const target = this.targetOf(event.key, layout);
    if (target === undefined || !this.board.has(target)) return;
    event.preventDefault();
    this.moveTo(target);
    this.scrollToCursor();
  }

  /** Where a key leads to; undefined: nowhere. */
  targetOf(key, layout) {
    const {order} = layout;
    const at = this.isAtNode() ? order.indexOf(this.cursor) : -1;
    const step = (by) => order[Math.min(order.length - 1, Math.max(0, at + by))];
    const pool = at < 0 ? 0 : layout.boxOf[this.cursor];
    const firstOf = (index) => order.find((id) => layout.boxOf[id] === index) ?? this.cursor;
    const moves = {
      ArrowRight: () => step(1),
      ArrowLeft: () => step(-1),
      ArrowDown: () => (at < 0 ? order[0] : layout.beside(this.cursor, 1)),
      ArrowUp: () => (at < 0 ? order[0] : layout.beside(this.cursor, -1)),
      PageDown: () => firstOf(Math.min(layout.boxes.length - 1, pool + 1)),
      PageUp: () => firstOf(Math.max(0, pool - 1)),
      Home: () => order[0],
      End: () => order[order.length - 1],
    };
    return moves[key]?.();
  }

  moveTo(id) {
    this.cursor = id;
    this.cursorName = this.board.name[id];
    this.tell(this.cursorName);
    this.showCursor();
  }

  /** Whether the node is still there that the keyboard was moved to. */
  isAtNode() {
    return this.cursor >= 0 && this.board.name[this.cursor] === this.cursorName;
  }

  /** Tells of a node above the picture, and has screen readers say it. */
  tell(name) {
    this.told = name;
    this.showTold();
    $('said').textContent = $('where').textContent;
  }

  /** Writes above the picture how the node is by now that it tells of. It is not read out again. */
  showTold() {
    if (this.told === '') return;
    const id = this.board.find(this.told);
    write($('where'), id < 0 ? `There is no node ${this.told} any more` : describeNode(this.board, id));
  }

  /** Puts the frame around the node that the keyboard is at. */
  showCursor() {
    const {layout} = this.picture;
    const cursor = $('cursor');
    const isShown = layout && this.isAtNode() && document.activeElement === $('picture');
    cursor.hidden = !isShown;
    if (!isShown) return;
    const box = layout.box(this.cursor);
    const inPixels = (length) => `${length / layout.scale}px`;
    cursor.style.left = inPixels(layout.x[this.cursor]);
    cursor.style.top = inPixels(layout.y[this.cursor]);
    cursor.style.width = inPixels(box.width - box.gap);
    cursor.style.height = inPixels(box.height - box.gap);
  }

  /** Where the picture is higher than the window, brings the node into view that the keyboard is at. */
  scrollToCursor() {
    $('cursor').scrollIntoView({block: 'nearest'});
  }

  listenToTheme() {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const choice = $('theme');
    choice.value = localStorage.getItem('theme') ?? 'auto';
    const apply = () => {
      const isDark = choice.value === 'dark' || (choice.value === 'auto' && system.matches);
      document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
      // Colours are known once styles are, which the browser computes for a frame anyway.
      requestAnimationFrame(() => {
        drawSamples(document);
        this.picture.redraw();
        this.pools.draw();
        this.schedule();
      });
    };
    choice.addEventListener('change', () => {
      localStorage.setItem('theme', choice.value);
      apply();
    });
    system.addEventListener('change', apply);
    apply();
  }
}

new Page();

// What the picture shows, as lists: what waits, the nodes, and what a search finds.

import {count, describeNode, element, folded, link, replaceRows, shown, since, troubleParts, write} from './words.js';

const PAGE = 100;
const MOST_NODES_FOUND = 20;
const SEARCH_AGAIN = 5000; // milliseconds between two searches for the same text
const MOST_WAITING = 30; // at first
const MOST_OWNERS = 15; // at first

/** Who holds how many devices: [number of the word, devices], those with the most first. In steps. */
function* holdings(board) {
  const sums = new Map();
  for (let id = 0; id < board.size; ++id) {
    if (!board.has(id)) continue;
    const held = board.held[id];
    for (let i = 0; i < held.length; i += 2) sums.set(held[i], (sums.get(held[i]) ?? 0) + held[i + 1]);
    if (id % 500 === 499) yield;
  }
  const name = ([word]) => board.words[word];
  const rounded = [...sums].map(([word, devices]) => [word, shown(devices)]);
  return rounded.sort((a, b) => b[1] - a[1] || (name(a) < name(b) ? -1 : 1));
}

/** Who holds devices. A click marks what one of them has. */
export class OwnerList {
  /** `find(owner)`: marks that. */
  constructor(root, board, find) {
    this.summary = root.querySelector('#owners-summary');
    this.rows = root.querySelector('#owner-rows');
    this.more = root.querySelector('#more-owners');
    this.board = board;
    this.find = find;
    this.shown = MOST_OWNERS;
    this.holdings = [];
    this.more.addEventListener('click', () => {
      this.shown = Infinity;
      this.draw();
    });
  }

  *show() {
    this.holdings = yield* holdings(this.board);
    this.draw();
  }

  /** How many devices one holds. */
  held(word) {
    return this.holdings.find(([each]) => each === word)?.[1] ?? 0;
  }

  draw() {
    const {length} = this.holdings;
    this.summary.textContent = length === 0 ? 'Nobody.' : 'A click marks them in the picture.';
    replaceRows(this.rows, this.holdings.slice(0, this.shown).map(([word, devices]) => {
      const name = this.board.words[word];
      return element('li', {'data-key': name}, link(name, () => this.find(name)), ` ${devices}`);
    }));
    this.more.hidden = length <= this.shown;
    this.more.textContent = `Show all ${length}`;
  }
}

/** What waits, in the expected order. */
export class WaitingList {
  constructor(root, board, open) {
    this.summary = root.querySelector('#waiting-summary');
    this.rows = root.querySelector('#waiting-rows');
    this.more = root.querySelector('#more-waiting');
    this.board = board;
    this.open = open;
    this.shown = MOST_WAITING;
    this.more.addEventListener('click', () => {
      this.shown = Infinity;
      this.show();
    });
  }

  show() {
    const {total, rows} = this.board.waiting;
    this.summary.textContent = total === 0 ? 'Nothing waits for a node.' :
      rows.length < total ? `The first ${rows.length} of ${total}, in the expected order:` :
        `${total === 1 ? 'One pod or gang' : `${total} pods and gangs`}, in the expected order:`;
    replaceRows(this.rows, rows.slice(0, this.shown).map((row) => this.row(row)));
    this.more.hidden = rows.length <= this.shown;
    this.more.textContent = `Show all ${rows.length}`;
  }

  row(row) {
    const name = `${row.namespace}/${row.gang || row.pod}`;
    const title = element('p', {}, link(name, () => this.open.pod(row.namespace, row.pod)));
    if (row.gang) title.append(` gang, ${row.pods} of ${row.size} pods wait`);
    const models = row.models ? ` (${row.models})` : '';
    const asks = row.devices > 0 ? `${row.devices} ${row.resource}${models}` : 'no accelerator';
    const who = element('p', {class: 'muted'}, `${asks}; ${row.owner}; priority ${row.priority}; for `,
        row.created > 0 ? since(row.created, this.board.now()) : 'an unknown time');
    // What kube-scheduler says of preemption stands in the pod's panel: it repeats itself.
    const [why] = row.why.split(/ (?:no new claims to deallocate, )?preemption: /);
    return element('li', {'data-key': `${row.namespace}/${row.pod}`}, title, who, element('p', {}, why));
  }
}

/** The nodes, filtered by pool and state, in the order of the picture. */
export class NodeList {
  constructor(root, board, open) {
    this.root = root.querySelector('#node-list');
    this.rows = this.root.querySelector('#node-rows');
    this.more = this.root.querySelector('#more-nodes');
    this.pool = this.root.querySelector('#filter-pool');
    this.state = this.root.querySelector('#filter-state');
    this.board = board;
    this.open = open;
    this.order = [];
    this.shown = PAGE;
    const restart = () => {
      this.shown = PAGE;
      this.show();
    };
    this.root.addEventListener('toggle', restart);
    this.pool.addEventListener('change', restart);
    this.state.addEventListener('change', restart);
    this.more.addEventListener('click', () => {
      this.shown += PAGE;
      this.show();
    });
  }

  setOrder(order, pools) {
    this.order = order;
    const chosen = this.pool.value;
    this.pool.replaceChildren(element('option', {value: ''}, 'all'),
        ...pools.map((name) => element('option', {value: name}, name)));
    this.pool.value = pools.includes(chosen) ? chosen : '';
  }

  takes(id) {
    const {board} = this;
    if (!board.has(id)) return false;
    if (this.pool.value && board.words[board.pool[id]] !== this.pool.value) return false;
    if (this.state.value === 'free') return board.free[id] > 0;
    if (this.state.value === 'bad') return board.status[id] !== 0;
    if (this.state.value === 'planned') return board.planned[id].length > 0;
    return true;
  }

  show() {
    if (!this.root.open) return;
    const ids = this.order.filter((id) => this.takes(id));
    replaceRows(this.rows, ids.slice(0, this.shown).map((id) => this.row(id)));
    this.more.hidden = ids.length <= this.shown;
    this.more.textContent = `Show more of ${ids.length} nodes`;
  }

  row(id) {
    const {board} = this;
    const number = (value) => element('td', {class: 'number'}, String(value));
    return element('tr', {'data-key': board.name[id]},
        element('th', {scope: 'row'}, link(board.name[id], () => this.open.node(board.name[id]))),
        element('td', {}, board.words[board.pool[id]]), element('td', {}, board.words[board.rack[id]]),
        number(board.heldCount[id]), number(board.plannedCount[id]), number(board.free[id]),
        number(board.broken[id]),
        element('td', {}, ...troubleParts(board, id)));
  }
}

/** Finds nodes and owners by what the page knows, and pods by asking the server. */
export class Search {
  /** `onFound(ids, owners)`: what the picture marks; null and an empty set: nothing. `held(word)`: see OwnerList. */
  constructor(root, board, server, open, held, onFound) {
    this.input = root.querySelector('#search');
    this.section = root.querySelector('#found');
    this.summary = root.querySelector('#found-summary');
    this.list = root.querySelector('#found-list');
    this.owners = root.querySelector('#found-owners');
    this.cut = root.querySelector('#found-cut');
    this.board = board;
    this.server = server;
    this.open = open;
    this.held = held;
    this.onFound = onFound;
    this.owner = null; // whose nodes and pods are looked for; null: what the text says
    this.turn = 0;
    this.next = 0; // when the same text may be searched for again, by a clock that nobody sets
    root.querySelector('#search-form').addEventListener('submit', (event) => {
      event.preventDefault();
      this.owner = null;
      this.run();
    });
    this.input.addEventListener('input', () => {
      this.owner = null;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.run(), 200);
    });
  }

  /** Finds what one owner has, and nobody else whose name has that in it. */
  findOwner(owner) {
    this.input.value = owner;
    this.owner = owner;
    this.run();
  }

  /** The cluster has changed. `anew`: what was found has to be found again, see BoardModel.apply(). */
  onChange(anew) {
    if (this.input.value.trim() !== '' && (anew || performance.now() > this.next)) this.run();
  }

  async run() {
    this.next = performance.now() + SEARCH_AGAIN;
    const text = folded(this.input.value.trim());
    const turn = ++this.turn;
    this.section.hidden = text === '';
    if (text === '') return this.onFound(null, new Set());
    const {owner} = this;
    const {nodes, owners, ids} = owner === null ?
      this.local((name) => name.includes(text), (word) => folded(word).includes(text)) :
      this.local(() => false, (word) => word === owner);
    this.onFound(ids, owners);
    let pods = {total: 0, pods: [], nodes: []};
    try {
      pods = await this.server.json('/api/search', owner === null ? {text} : {owner});
    } catch {
      // Then only what the page knows is found.
    }
    if (turn !== this.turn) return;
    const theirs = new Set(pods.nodes);
    for (let id = 0; id < this.board.size; ++id) {
      if (theirs.has(this.board.name[id])) ids.add(id);
    }
    this.onFound(ids, owners);
    this.show(nodes, pods, owners);
  }

  /** What the page knows, of nodes by their names and of owners. */
  local(takesNode, takesOwner) {
    const {board} = this;
    const owners = new Set();
    board.words.forEach((word, i) => takesOwner(word) && owners.add(i));
    const nodes = [];
    const ids = new Set();
    const has = (shares) => shares.some((word, i) => i % 2 === 0 && owners.has(word));
    for (let id = 0; id < board.size; ++id) {
      if (!board.has(id)) continue;
      const isNamed = takesNode(board.name[id]);
      if (isNamed) nodes.push(id);
      if (isNamed || has(board.held[id]) || has(board.planned[id])) ids.add(id);
    }
    return {nodes, owners, ids};
  }

  show(nodes, pods, owners) {
    write(this.summary, `${count(nodes.length, 'node')}, ${count(pods.total, 'pod')}`);
    const holders = [...owners].filter((word) => this.held(word) > 0);
    this.showCut([[MOST_OWNERS, holders.length, 'owners'], [MOST_NODES_FOUND, nodes.length, 'nodes'],
      [pods.pods.length, pods.total, 'pods']]);
    this.owners.replaceChildren(...holders.slice(0, MOST_OWNERS).map((word) =>
      element('li', {}, `${this.board.words[word]} holds ${count(this.held(word), 'device')}`)));
    const rows = nodes.slice(0, MOST_NODES_FOUND).map((id) => element('li', {'data-key': this.board.name[id]},
        link(this.board.name[id], () => this.open.node(this.board.name[id])),
        ` ${describeNode(this.board, id).slice(this.board.name[id].length + 1)}`));
    for (const pod of pods.pods) {
      const where = pod.node ? `on ${pod.node}` : pod.nominated ? `planned for ${pod.nominated}` : 'waits';
      const name = `${pod.namespace}/${pod.name}`;
      rows.push(element('li', {'data-key': name}, link(name, () => this.open.pod(pod.namespace, pod.name)),
          ` ${where}; ${pod.owner}`));
    }
    replaceRows(this.list, rows);
  }

  /** Says which lists have not everything: [how many are listed at most, how many there are, of what]. */
  showCut(lists) {
    const cut = lists.filter(([most, all]) => all > most).map(([most, all, what]) => `the first ${most} of ${all} ${what}`);
    this.cut.hidden = cut.length === 0;
    this.cut.textContent = `Listed are ${cut.join(' and ')}. The picture marks all.`;
  }
}

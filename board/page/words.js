// What the page says: texts made from data, and elements that hold them. Nothing from the cluster is
// ever taken for HTML.

/** What NodeStatus of board/node_row.h means. */
export const GOOD = 0;
export const UNREADABLE = 2;

export const STATUS_NAMES = ['good', 'broken', 'cannot be read', 'not Ready', 'cordoned'];

/**
 * Writes what is not there already: even the same text makes the browser lay out the page, and screen readers read
 * it out again where they follow it.
 */
export function write(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

/** "1 pod", "2 pods". */
export function count(number, noun) {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A text whose case does not matter in a search: that of ASCII letters, as the server has it. */
export function folded(text) {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** A number of devices as it is shown: slices are parts of a device, such as 0.125. */
export function shown(devices) {
  return Math.round(devices * 1000) / 1000;
}

/** How long ago `since` was, both in seconds since 1970, in the largest unit that gives at least 2. */
export function age(since, now) {
  const seconds = Math.max(0, Math.round(now - since));
  for (const [unit, length] of [['d', 86400], ['h', 3600], ['min', 60]]) {
    if (seconds >= 2 * length) return `${Math.floor(seconds / length)} ${unit}`;
  }
  return `${seconds} s`;
}

/** Why a node gets no new pods; empty if it does. */
export function troubleOf(board, id) {
  if (board.status[id] === GOOD) return '';
  const since = board.since[id];
  const reason = board.words[board.reason[id]];
  return since > 0 ? `${reason} since ${age(since, board.now())}` : reason;
}

function sharesIn(board, shares) {
  const parts = [];
  for (let i = 0; i < shares.length; i += 2) parts.push(`${shown(shares[i + 1])} ${board.words[shares[i]]}`);
  return parts.join(', ');
}

/** A node in one sentence, for the line above the picture and for screen readers. */
export function describeNode(board, id) {
  const parts = [`${board.name[id]}, ${board.words[board.pool[id]]}`];
  const rack = board.words[board.rack[id]];
  if (rack) parts.push(`rack ${rack}`);
  const trouble = troubleOf(board, id);
  if (trouble) parts.push(trouble);
  if (board.held[id].length > 0) parts.push(`held by ${sharesIn(board, board.held[id])}`);
  if (board.planned[id].length > 0) parts.push(`planned for ${sharesIn(board, board.planned[id])}`);
  if (board.free[id] > 0) parts.push(`${board.free[id]} free`);
  if (board.broken[id] > 0) parts.push(`${board.broken[id]} broken`);
  if (board.perCell[id] > 1) parts.push(`each cell stands for about ${board.perCell[id]} devices`);
  return parts.join('; ');
}

/** An element with attributes, properties that begin with "on", and children: elements or texts. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** A button that looks like a link. */
export function link(text, onclick) {
  return element('button', {type: 'button', class: 'link', onclick}, text);
}

/** A list of names and values; pairs without a value are left out. */
export function facts(pairs) {
  const list = element('dl');
  for (const [name, value] of pairs) {
    if (value === '' || value === undefined || value === null) continue;
    list.append(element('dt', {}, name), element('dd', {}, value));
  }
  return list;
}

/** A moment as text that says when exactly, on hover. */
export function since(seconds, now) {
  const exact = new Date(seconds * 1000).toISOString();
  return element('time', {datetime: exact, title: exact}, age(seconds, now));
}

/** What troubleOf() says, with the time as an element; without trouble, that the node is well. */
export function troubleParts(board, id) {
  if (board.status[id] === GOOD) return [STATUS_NAMES[GOOD]];
  const reason = board.words[board.reason[id]] || STATUS_NAMES[board.status[id]];
  return board.since[id] > 0 ? [`${reason} since `, since(board.since[id], board.now())] : [reason];
}

/**
 * Replaces the children of an element. If the focus was in a child with some data-key, it goes to the
 * first button of the new child with the same one.
 */
export function replaceRows(parent, rows) {
  const key = parent.contains(document.activeElement) ?
    document.activeElement.closest('[data-key]')?.dataset.key : undefined;
  parent.replaceChildren(...rows);
  if (key === undefined) return;
  rows.find((row) => row.dataset.key === key)?.querySelector('button')?.focus();
}

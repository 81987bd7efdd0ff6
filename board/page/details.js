// The panel about one node or one pod: what the policies say, in the words of `berth explain`.

import {age, element, facts, link, since, STATUS_NAMES, UNREADABLE} from './words.js';

const MOST_VERDICTS = 20; // nodes in the panel of a pod
const AGAIN = 5000; // milliseconds between two requests for the same panel

function opinions(policies) {
  const table = element('table', {},
      element('thead', {}, element('tr', {}, ...['Policy', 'Verdict', 'Score', 'Why'].map((text) =>
        element('th', {scope: 'col', class: text === 'Score' ? 'number' : ''}, text)))));
  const body = element('tbody');
  for (const said of policies) {
    const verdict = said.fits ? 'fits' : 'does not fit';
    body.append(element('tr', {},
        element('th', {scope: 'row'}, said.policy),
        element('td', {class: said.fits ? '' : 'verdict-no'}, said.observed ? `${verdict}, only observed` : verdict),
        element('td', {class: 'number'}, said.fits ? `${said.score} × ${said.weight}` : ''),
        element('td', {}, said.reason)));
  }
  table.append(body);
  return table;
}

function requestsOf(pod) {
  return Object.entries(pod.requests).filter(([name]) => name.includes('/'))
      .map(([name, amount]) => `${amount} ${name}`).join(', ');
}

export class Details {
  constructor(root, board, server) {
    this.section = root.querySelector('#details');
    this.title = root.querySelector('#details-title');
    this.body = root.querySelector('#details-body');
    this.board = board;
    this.server = server;
    this.shown = null; // a function that shows it again
    this.turn = 0;
    this.next = 0; // when it may be asked for again, by a clock that nobody sets
    root.querySelector('#details-close').addEventListener('click', () => this.close());
    this.section.addEventListener('keydown', (event) => event.key === 'Escape' && this.close());
  }

  close() {
    ++this.turn;
    this.isAsking = false;
    this.shown = null;
    this.section.hidden = true;
    (this.before?.isConnected ? this.before : document.getElementById('picture')).focus();
  }

  node(name) {
    return this.open(`Node ${name}`, async () => this.nodeBody(await this.server.json('/api/node', {name})));
  }

  pod(namespace, name) {
    return this.open(`Pod ${namespace}/${name}`,
        async () => this.podBody(await this.server.json('/api/pod', {namespace, name})));
  }

  /** Shows the panel anew; `load` returns its content. */
  async open(title, load) {
    if (this.section.hidden) this.before = document.activeElement;
    this.title.textContent = title;
    this.body.replaceChildren(element('p', {class: 'muted'}, 'Asking the board'));
    this.section.hidden = false;
    this.shown = load;
    await this.refresh();
    this.section.focus();
  }

  /** The cluster has changed. Does not take away what somebody is reading with the keyboard or copies. */
  onChange() {
    const now = performance.now();
    if (!this.shown || now < this.next || this.isAsking || this.isRead()) return;
    this.refresh(() => this.isRead());
  }

  isRead() {
    const selection = getSelection();
    return this.body.contains(document.activeElement) || this.body.querySelector('details[open]') !== null ||
      (!selection.isCollapsed && selection.containsNode(this.body, true));
  }

  /** Shows what is so by now, unless `isKept()` says by then that what is there is to stay. */
  async refresh(isKept = () => false) {
    if (!this.shown) return;
    this.next = performance.now() + AGAIN;
    const turn = ++this.turn;
    this.isAsking = true;
    let content;
    try {
      content = await this.shown();
    } catch (error) {
      content = [element('p', {class: 'trouble'}, error.message)];
    }
    if (turn !== this.turn) return;
    this.isAsking = false;
    if (!isKept()) this.body.replaceChildren(...content);
  }

  time(seconds) {
    return seconds > 0 ? since(seconds, this.board.now()) : '';
  }

  podList(pods) {
    return element('ul', {}, ...pods.map((pod) => element('li', {},
        link(`${pod.namespace}/${pod.name}`, () => this.pod(pod.namespace, pod.name)),
        ` ${requestsOf(pod)}; ${pod.owner}; `, this.time(pod.created), pod.deleted > 0 ? '; is being deleted' : '')));
  }

  nodeBody(node) {
    const content = [facts([
      ['Pool', node.pool], ['Rack', node.rack],
      ['State', node.status === 0 ? STATUS_NAMES[0] : node.reason],
      ['Since', node.status === 0 ? '' : this.time(node.since)],
      ['Devices', `${node.held} held, ${node.planned} planned, ${node.free} free, ${node.broken} broken`],
    ])];
    if (node.pods.length > 0) content.push(element('h3', {}, 'Held by'), this.podList(node.pods));
    if (node.plannedPods.length > 0) {
      content.push(element('h3', {}, 'Planned for'), this.podList(node.plannedPods));
    }
    if (node.verdict) {
      const verdict = node.verdict.fits ? 'fits' : `does not fit: ${node.verdict.reason}`;
      content.push(element('h3', {}, 'Verdicts by policy'),
          element('p', {}, `For ${node.judgedFor} it ${verdict}.`), opinions(node.verdict.policies));
    }
    if (node.judgedFor === '') {
      const hasNone = node.status !== UNREADABLE && node.pods.length === 0;
      content.push(element('p', {}, hasNone ?
        'It has no accelerators: pods that run there are not shown, and no policy judges it.' :
        'Which accelerators it has is not known, so no policy judges it.'));
    }
    if (node.conditions.length > 0) content.push(element('h3', {}, 'Conditions'), this.conditions(node.conditions));
    return content;
  }

  conditions(conditions) {
    const rows = conditions.map((each) => element('tr', {},
        element('th', {scope: 'row'}, each.type), element('td', {}, each.status),
        element('td', {}, this.time(each.since)), element('td', {}, this.time(each.heartbeat))));
    return element('table', {},
        element('thead', {}, element('tr', {}, ...['Condition', 'Status', 'For', 'Reported before'].map((text) =>
          element('th', {scope: 'col'}, text)))),
        element('tbody', {}, ...rows));
  }

  podBody(pod) {
    const gang = pod.gang ? `${pod.gang.name}, of ${pod.gang.size} pods` : '';
    const content = [facts([
      ['Owner', pod.owner], ['Requests', requestsOf(pod)], ['Gang', gang],
      ['Priority', String(pod.priority)], ['Created', this.time(pod.created)],
      ['Node', pod.node ? link(pod.node, () => this.node(pod.node)) : ''],
      ['Planned for', pod.nominated ? link(pod.nominated, () => this.node(pod.nominated)) : ''],
      ['Gates', pod.gates.join(', ')],
      ['The planner says', pod.gangWaits],
      ['kube-scheduler says', pod.unschedulable],
    ])];
    if (!pod.judged) return [...content, element('p', {}, 'It asks for no accelerator, so no policy judges nodes for it.')];
    content.push(element('h3', {}, 'Where it may go'),
        element('p', {}, `By Berth's policies ${pod.fitting} of ${pod.nodesInAll} nodes fit.`));
    if (pod.groups.length > 0) content.push(this.groups(pod.groups));
    if (pod.hints.length > 0) content.push(element('ul', {}, ...pod.hints.map((hint) => element('li', {}, hint))));
    const listed = pod.nodes.slice(0, MOST_VERDICTS);
    const first = listed.length < pod.nodesInAll ? `, the first ${listed.length} of ${pod.nodesInAll}` : '';
    content.push(element('h3', {}, `Nodes, best first${first}`), ...listed.map((node) => this.verdict(node)));
    return content;
  }

  groups(groups) {
    return element('ul', {}, ...groups.map((group) => {
      const when = group.newest > 0 ? ` (for ${age(group.newest, this.board.now())})` : '';
      return element('li', {}, `${group.nodes} ${group.reason}${when}, says ${group.policy}`);
    }));
  }

  verdict(node) {
    const verdict = node.fits ? `rank ${node.rank}, score ${node.score}` : node.reason;
    const free = node.free === undefined ? '' : `, ${node.free} free`;
    return element('details', {},
        element('summary', {}, `${node.name}: ${verdict}${free}`),
        element('p', {}, link('Show the node', () => this.node(node.name))), opinions(node.policies));
  }
}

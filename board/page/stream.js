// The connection to the board's server. Server-sent events are read with fetch(), because
// EventSource cannot send the token as a header field, and because a connection that has died
// while the machine slept has to be noticed.

const SILENCE = 25_000; // the server says something every 10 s
const FIRST_SILENCE = 10_000; // it answers at once, unless the browser has taken an old connection that is dead
const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;

/** Wrong token: no use to try again with it. */
export class Refused extends Error {}

export class Server {
  constructor(token) {
    this.token = token;
  }

  async fetch(path, options = {}) {
    const headers = {...options.headers, Authorization: `Bearer ${this.token}`};
    const response = await fetch(path, {...options, headers, cache: 'no-store'});
    if (response.status === 401 || response.status === 403 || response.status === 421) {
      throw new Refused(await response.text());
    }
    if (!response.ok) throw new Error((await response.text()).trim());
    return response;
  }

  async json(path, parameters = {}) {
    const query = new URLSearchParams(parameters).toString();
    return (await this.fetch(query ? `${path}?${query}` : path)).json();
  }
}

/** Splits the text of server-sent events into {event, id, data}. */
export class EventParser {
  constructor() {
    this.parts = []; // of an event that is not complete
  }

  /** Returns the events that are complete now. An event ends with an empty line. */
  push(text) {
    const events = [];
    let from = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
      const isEmptyLine = at > 0 ? text[at - 1] === '\n' : this.parts.at(-1)?.endsWith('\n');
      if (!isEmptyLine || (at === from && this.parts.length === 0)) continue;
      this.parts.push(text.slice(from, at));
      events.push(EventParser.parse(this.parts.join('')));
      this.parts = [];
      from = at + 1;
    }
    if (from < text.length) this.parts.push(text.slice(from));
    return events;
  }

  static parse(block) {
    const event = {event: 'message', id: '', data: ''};
    for (const line of block.split('\n')) {
      const colon = line.indexOf(': ');
      if (colon > 0) event[line.slice(0, colon)] = line.slice(colon + 2);
    }
    return event;
  }
}

/** Follows the board for as long as the page lives. */
export class Stream {
  /** `listener`: {onEvent(event, object), onConnected(), onLost(), onRefused(text)}. */
  constructor(server, listener) {
    this.server = server;
    this.listener = listener;
    this.last = ''; // the id of the last event
    this.heard = Date.now();
    this.patience = FIRST_SILENCE;
    this.abort = new AbortController();
    this.isRefused = false;
    this.isRenewed = false; // since the last connection was begun
    setInterval(() => this.check(this.patience), 2500);
    addEventListener('online', () => this.hurry(0));
    addEventListener('pageshow', (event) => event.persisted && this.hurry(0)); // it was put aside
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.hurry(SILENCE / 2);
    });
  }

  /** Ends a connection on which nothing has come for so long; another one follows. */
  check(silence) {
    // Only the time of day goes on while the machine sleeps. Where it was set back, how long it was is not known.
    if (Math.abs(Date.now() - this.heard) > silence) this.abort.abort();
  }

  /** The same, and does not wait before it tries again. */
  hurry(silence) {
    this.check(silence);
    this.wake?.();
  }

  /** The token is another one: connects anew, also after a refusal. */
  renew() {
    this.isRenewed = true;
    this.abort.abort();
    if (this.isRefused) this.run();
    else this.wake?.();
  }

  async run() {
    this.isRefused = false;
    for (let wait = FIRST_WAIT;; wait = this.isRenewed ? FIRST_WAIT : Math.min(2 * wait, LONGEST_WAIT)) {
      this.isRenewed = false;
      try {
        await this.follow(() => { wait = FIRST_WAIT; });
      } catch (error) {
        if (error instanceof Refused && !this.isRenewed) {
          this.isRefused = true;
          return this.listener.onRefused(error.message);
        }
      }
      if (this.isRenewed) continue; // what the former token met with says nothing of this one
      this.listener.onLost();
      await new Promise((resolve) => {
        this.wake = resolve;
        setTimeout(resolve, wait);
      });
      this.wake = undefined;
    }
  }

  /** Reads one connection to its end. */
  async follow(onData) {
    this.abort = new AbortController();
    this.heard = Date.now();
    this.patience = FIRST_SILENCE;
    const headers = this.last ? {'Last-Event-ID': this.last} : {};
    const response = await this.server.fetch('/api/events', {headers, signal: this.abort.signal});
    this.patience = SILENCE;
    this.listener.onConnected();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new EventParser();
    for (;;) {
      const {done, value} = await reader.read();
      if (done) return;
      this.heard = Date.now();
      onData();
      for (const event of parser.push(value)) {
        await this.listener.onEvent(event.event, JSON.parse(event.data));
        if (event.id) this.last = event.id;
      }
    }
  }
}

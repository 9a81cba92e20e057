import { type Host, monotonicMs, runAs, schedule } from './virtual-time.ts';

/** One direction of a connection: messages arrive in order, after a random time. */
export interface Wire {
  send(deliver: () => void): void;
}

/** How long messages take, in milliseconds. */
const LATENCY_MS = { min: 0.2, spread: 1 };
/** Where connections break: how often a message breaks its connection, and how often it arrives before. */
const BREAKS = { chance: 0.2, arrives: 0.5 };

/** Delivers messages between hosts, unless they are cut off from each other, in one direction or both. */
export class Network {
  /** Owns the messages on their way, which no crash ends. */
  readonly #cable: Host = { name: 'cable', isUp: true, clockOffsetMs: 0, onCrash: new Set() };
  readonly #hosts = new Map<string, Host>();
  /** Partitions by direction (`from>to`), and the messages that wait for their end. */
  readonly #cuts = new Map<string, { count: number; held: (() => void)[] }>();
  /** How many faults break connections, by direction. */
  readonly #breaking = new Map<string, number>();

  /** Adds a host, or starts it again after a crash, with the clock that it had. */
  addHost(name: string): Host {
    const clockOffsetMs = this.#hosts.get(name)?.clockOffsetMs ?? 0;
    const host: Host = { name, isUp: true, clockOffsetMs, onCrash: new Set() };
    this.#hosts.set(name, host);
    return host;
  }

  /** Returns the host that is up under this name. */
  host(name: string): Host | undefined {
    const host = this.#hosts.get(name);
    return host?.isUp === true ? host : undefined;
  }

  crash(host: Host): void {
    host.isUp = false;
    for (const crashed of [...host.onCrash]) runAs(host, crashed);
    host.onCrash.clear();
  }

  /** Ends all hosts. */
  end(): void {
    for (const host of [this.#cable, ...this.#hosts.values()]) this.crash(host);
  }

  /** Holds messages in this direction until the returned function is called, because TCP repeats them. */
  cut(from: string, to: string): () => void {
    const direction = `${from}>${to}`;
    const cut = this.#cuts.get(direction) ?? { count: 0, held: [] };
    this.#cuts.set(direction, cut);
    cut.count += 1;
    return () => {
      cut.count -= 1;
      if (cut.count > 0) return;
      this.#cuts.delete(direction);
      for (const send of cut.held) send();
    };
  }

  /** Breaks connections in this direction at random, until the returned function is called. */
  breakConnections(from: string, to: string): () => void {
    const direction = `${from}>${to}`;
    this.#breaking.set(direction, (this.#breaking.get(direction) ?? 0) + 1);
    return () => this.#breaking.set(direction, (this.#breaking.get(direction) ?? 0) - 1);
  }

  /** Opens one direction of a connection. @param onBreak ends the connection at both ends */
  wire(from: Host, to: Host, onBreak: () => void): Wire {
    let lastMs = 0;
    const direction = `${from.name}>${to.name}`;
    const send = (deliver: () => void) => {
      const cut = this.#cuts.get(direction);
      if (cut !== undefined) return void cut.held.push(() => send(deliver));
      // Messages stay in order, also after those that were held.
      lastMs = Math.max(lastMs, monotonicMs() + LATENCY_MS.min + Math.random() * LATENCY_MS.spread);
      const breaks = (this.#breaking.get(direction) ?? 0) > 0 && Math.random() < BREAKS.chance;
      const arrives = !breaks || Math.random() < BREAKS.arrives;
      schedule(this.#cable, lastMs - monotonicMs(), () => {
        if (arrives && to.isUp) runAs(to, deliver);
        if (breaks) onBreak();
      });
    };
    return { send };
  }
}

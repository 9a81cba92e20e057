import { setInterval } from 'node:timers';
import { shuttingDown, tooManyWebSockets, tooManyWebSocketsOf } from '@model-gateway/shared/errors';
import type { MemoryOwner } from '../memory/shared-memory.ts';
import { RememberedResponses } from './remembered-responses.ts';
import type { WebSocketConnection } from './websocket-connection.ts';

export interface ConnectionTimings {
  /** Load balancers close connections that are silent for a minute. */
  pingMs: number;
  /** How long a connection may wait for a request. */
  idleMs: number;
  /** How old a connection may become, as at OpenAI. */
  totalMs: number;
}

const TIMINGS: ConnectionTimings = { pingMs: 20_000, idleMs: 30 * 60_000, totalMs: 60 * 60_000 };
/** An idle one takes about 30 kB. */
const MAX_CONNECTIONS = 2_000;
const MAX_OF_KEY = 256;
const MAX_OF_ACCOUNT = 1_000;

/** All WebSocket connections of this process: their number, their age, and what they keep in memory. */
export class WebSocketConnections {
  readonly #timings: ConnectionTimings;
  readonly #open = new Set<WebSocketConnection>();
  /** The number of connections of each key and account. */
  readonly #shares = new Map<string, number>();
  readonly remembered: RememberedResponses;
  #isDraining = false;
  #ticks: NodeJS.Timeout | undefined;

  constructor(memoryBytes: number, timings: Partial<ConnectionTimings> = {}) {
    this.#timings = { ...TIMINGS, ...timings };
    this.remembered = new RememberedResponses(memoryBytes);
  }

  get size(): number {
    return this.#open.size;
  }

  /** @throws GatewayError 503 while draining or with too many connections, 429 with too many of the owner */
  requireSpace({ accountId, keyId }: MemoryOwner): void {
    if (this.#isDraining) throw shuttingDown();
    if (this.#open.size >= MAX_CONNECTIONS) throw tooManyWebSockets();
    if (this.#countOf(keyId) >= MAX_OF_KEY) throw tooManyWebSocketsOf('API key', MAX_OF_KEY);
    if (this.#countOf(accountId) >= MAX_OF_ACCOUNT) throw tooManyWebSocketsOf('account', MAX_OF_ACCOUNT);
  }

  #countOf(id: string): number {
    return this.#shares.get(id) ?? 0;
  }

  #count({ accountId, keyId }: MemoryOwner, change: 1 | -1): void {
    for (const id of [keyId, accountId]) {
      const count = this.#countOf(id) + change;
      if (count === 0) this.#shares.delete(id);
      else this.#shares.set(id, count);
    }
  }

  /** Watches a connection. Resolves when it is closed. */
  async watch(connection: WebSocketConnection): Promise<void> {
    this.#open.add(connection);
    this.#count(connection.owner, 1);
    this.#ticks ??= setInterval(() => this.#tick(), this.#timings.pingMs);
    if (this.#isDraining) connection.retire('drain');
    await connection.closed;
    this.#open.delete(connection);
    this.#count(connection.owner, -1);
    if (this.#open.size > 0) return;
    clearInterval(this.#ticks);
    this.#ticks = undefined;
  }

  /** Sends clients elsewhere, each after its running response; or takes new ones again. */
  drain(isDraining: boolean): void {
    this.#isDraining = isDraining;
    if (isDraining) for (const connection of this.#open) connection.retire('drain');
  }

  #tick(): void {
    const nowMs = performance.now();
    const { idleMs, totalMs } = this.#timings;
    for (const connection of this.#open) {
      const { idleSinceMs, openedAtMs } = connection;
      if (nowMs - openedAtMs >= totalMs) connection.retire('age');
      else if (idleSinceMs !== undefined && nowMs - idleSinceMs >= idleMs) connection.retire('idle');
      else connection.ping();
    }
  }
}

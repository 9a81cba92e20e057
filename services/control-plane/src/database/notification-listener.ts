import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '@model-gateway/service-kit';
import { Client } from 'pg';

const QUERY_TIMEOUT_MS = 20_000;
const CONNECTION_TIMEOUT_MS = 10_000;
const END_TIMEOUT_MS = 1_000;
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 2_000;

export interface NotificationListenerOptions {
  databaseUrl: string;
  /**
   * Handlers by channel. Each also runs after every (re)connect, because notifications may have been missed.
   */
  channels: Readonly<Record<string, () => void>>;
  log: Logger;
}

/**
 * Listens on its own connection. Notifications only speed things up: nothing may depend on one, because a
 * lost connection loses them.
 */
export class NotificationListener {
  readonly #options: NotificationListenerOptions;
  #client: Client | undefined;
  #retry: NodeJS.Timeout | undefined;
  #backoffMs = MIN_BACKOFF_MS;
  #closed = false;
  #listening = false;

  constructor(options: NotificationListenerOptions) {
    this.#options = options;
  }

  get isListening(): boolean {
    return this.#listening;
  }

  /** Resolves after the first attempt to connect; further attempts follow in the background. */
  async start(): Promise<void> {
    await this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    // Bounded for a server that no longer answers.
    await Promise.race([client?.end(), wait(END_TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #connect(): Promise<void> {
    const { channels, databaseUrl } = this.#options;
    const client = new Client({
      connectionString: databaseUrl,
      connectionTimeoutMillis: CONNECTION_TIMEOUT_MS,
      keepAlive: true,
      query_timeout: QUERY_TIMEOUT_MS,
    });
    this.#client = client;
    client.on('error', (error) => this.#lost(client, error));
    client.on('end', () => this.#lost(client, undefined));
    client.on('notification', ({ channel }) => channels[channel]?.());
    try {
      await client.connect();
      for (const channel of Object.keys(channels))
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    } catch (error) {
      this.#lost(client, error);
      return;
    }
    this.#listening = true;
    this.#backoffMs = MIN_BACKOFF_MS;
    for (const notified of Object.values(channels)) notified();
  }

  #lost(client: Client, error: unknown): void {
    if (client !== this.#client || this.#closed) return;
    this.#client = undefined;
    this.#listening = false;
    this.#options.log.warn({ error }, 'database notifications lost, reconnecting');
    client.end().catch(() => undefined);
    this.#retry = setTimeout(() => void this.#connect(), this.#backoffMs);
    this.#backoffMs = Math.min(this.#backoffMs * 2, MAX_BACKOFF_MS);
  }
}

import { inBackground, type Logger } from '@model-gateway/service-kit';
import type { z } from 'zod';
import { statusUnreachable } from '../errors/availability-errors.ts';

export interface Reading<Value> {
  value: Value;
  /** Unix milliseconds. */
  readAtMs: number;
}

const FRESH_MS = 5_000;
/** Visitors never wait longer than this. */
const TIMEOUT_MS = 3_000;

export interface SharedReadOptions<Value> {
  url: string;
  headers?: Record<string, string>;
  schema: z.ZodType<Value>;
  log: Logger;
}

/**
 * Caches a response of the catalog service for 5 s, so that visitors do not use up the rate limit of
 * this server's address. Serves the last response while the service is down.
 */
export class SharedRead<Value> {
  readonly #options: SharedReadOptions<Value>;
  #last: Reading<Value> | undefined;
  #reading: Promise<void> | undefined;
  #nextAtMs = 0;

  constructor(options: SharedReadOptions<Value>) {
    this.#options = options;
  }

  /** @throws DashboardError service_unavailable if no read has ever succeeded */
  async read(): Promise<Reading<Value>> {
    const last = await this.readIfKnown();
    if (last === undefined) throw statusUnreachable(FRESH_MS / 1_000);
    return last;
  }

  /** @returns undefined if no read has ever succeeded */
  async readIfKnown(): Promise<Reading<Value> | undefined> {
    if (performance.now() >= this.#nextAtMs) {
      this.#reading ??= this.#refresh().finally(() => {
        this.#reading = undefined;
      });
      inBackground(this.#reading);
    }
    await this.#reading;
    return this.#last;
  }

  async #refresh(): Promise<void> {
    const { headers = {}, log, schema, url } = this.#options;
    this.#nextAtMs = performance.now() + FRESH_MS;
    try {
      const response = await fetch(url, {
        headers,
        signal: AbortSignal.timeout(TIMEOUT_MS),
        redirect: 'error',
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`status ${response.status}`);
      }
      this.#last = { value: schema.parse(await response.json()), readAtMs: Date.now() };
    } catch (error) {
      log.warn({ error, url }, 'the catalog service cannot be read');
    }
  }
}

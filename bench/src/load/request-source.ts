import { readFileSync } from 'node:fs';
import type { Traffic } from './job.ts';

export interface NextRequest {
  headers: Record<string, string>;
  body: Buffer;
}

/** The requests of one kind of traffic, each with the next key and the next body. */
export class RequestSource {
  readonly #headers: Record<string, string>[];
  readonly #bodies: Buffer[];
  readonly #isRandom: boolean;
  #turn = 0;

  constructor({ headers, keysFile, bodies, order }: Traffic) {
    const fixed = { 'content-type': 'application/json', ...headers };
    const keys = keysFile === undefined ? [] : readFileSync(keysFile, 'utf8').trim().split('\n');
    this.#headers =
      keys.length === 0 ? [fixed] : keys.map((key) => ({ ...fixed, authorization: `Bearer ${key}` }));
    this.#bodies = bodies.map((body) => Buffer.from(body));
    this.#isRandom = order === 'random';
  }

  next(): NextRequest {
    const turn = this.#isRandom ? Math.floor(Math.random() * 0x1_0000_0000) : this.#turn++;
    const headers = this.#headers[turn % this.#headers.length];
    const body = this.#bodies[turn % this.#bodies.length];
    if (headers === undefined || body === undefined) throw new Error('nothing to send');
    return { headers, body };
  }
}

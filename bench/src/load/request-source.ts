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
  #index = 0;

  constructor({ headers, keysFile, addresses = 0, bodies, order }: Traffic) {
    const fixed = { 'content-type': 'application/json', ...headers };
    const keys = keysFile === undefined ? [] : readFileSync(keysFile, 'utf8').trim().split('\n');
    const own = [
      ...keys.map((key) => ({ authorization: `Bearer ${key}` })),
      ...Array.from({ length: addresses }, (_, index) => ({ 'x-forwarded-for': addressOf(index) })),
    ];
    this.#headers = own.length === 0 ? [fixed] : own.map((each) => ({ ...fixed, ...each }));
    this.#bodies = bodies.map((body) => Buffer.from(body));
    this.#isRandom = order === 'random';
  }

  next(): NextRequest {
    const index = this.#isRandom ? Math.floor(Math.random() * 0x1_0000_0000) : this.#index++;
    const headers = this.#headers[index % this.#headers.length];
    const body = this.#bodies[index % this.#bodies.length];
    if (headers === undefined || body === undefined) throw new Error('nothing to send');
    return { headers, body };
  }
}

/** Returns one of the sixteen million addresses of 10.0.0.0/8. */
function addressOf(index: number): string {
  return `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`;
}

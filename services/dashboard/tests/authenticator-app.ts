import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

const PERIOD_MS = 30_000;
/** The shortest time that a code must still be valid: a busy machine takes seconds to send it. */
const MIN_VALID_MS = 20_000;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The steps whose codes were given, by secret: the server accepts each code once. */
const usedSteps = new Map<string, Set<number>>();

/**
 * Returns a code of an app that was not given before (RFC 6238). The server accepts the codes of the current
 * step and of its neighbours. Waits for the next step, at most 30 s, when all three were given.
 * @param uri otpauth: URI
 */
export async function nextCode(uri: string): Promise<string> {
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  const used = usedSteps.get(secret) ?? new Set();
  usedSteps.set(secret, used);
  for (;;) {
    const now = Date.now();
    const current = Math.floor(now / PERIOD_MS);
    const leftMs = (current + 1) * PERIOD_MS - now;
    const accepted = [current, current + 1, ...(leftMs > MIN_VALID_MS ? [current - 1] : [])];
    const step = accepted.find((each) => !used.has(each));
    if (step !== undefined) {
      used.add(step);
      return codeOf(secret, step);
    }
    await wait(leftMs);
  }
}

function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  const at = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

function decodeBase32(text: string): Buffer {
  const bits = [...text.replace(/=+$/, '')]
    .map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

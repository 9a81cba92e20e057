import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

export const NONCE_BYTES = 32;
const KEY_BYTES = 32;
/** Each side has a key of its own, so that what one side has said is never what the other one would say. */
const SERVER_PURPOSE = 'model-gateway: a control plane has ADMIN_TOKEN';
const CALLER_PURPOSE = 'model-gateway: a caller has ADMIN_TOKEN';

/** What a server says of itself, with its proof. */
export interface ServerStatement {
  /** Unix milliseconds, by the clock of the server. */
  timeMs: number;
  /** Which database the server has. */
  installation: string;
}

/** What a caller sends in place of the token. */
export interface CallerProof {
  /** The nonce for which the server has proved itself. */
  nonce: Buffer;
  /** The time that the server has named: the proof becomes old by the server's clock, not by the caller's. */
  timeMs: number;
  /** An HMAC-SHA256, 32 bytes. */
  proof: Buffer;
}

/**
 * Proves that one has ADMIN_TOKEN, without sending it: a control plane to its caller first, then the caller
 * to the control plane. Nothing that was sent leads back to a token of 32 random bytes.
 */
export class AdminProof {
  readonly #serverKey: Buffer;
  readonly #callerKey: Buffer;

  constructor(adminToken: string) {
    this.#serverKey = keyFor(adminToken, SERVER_PURPOSE);
    this.#callerKey = keyFor(adminToken, CALLER_PURPOSE);
  }

  /** @throws RangeError when the nonce does not have 32 bytes */
  ofServer(nonce: Buffer, { timeMs, installation }: ServerStatement): Buffer {
    return tagOf(this.#serverKey, nonce, timeMs, installation);
  }

  isOfServer(proof: Buffer, nonce: Buffer, statement: ServerStatement): boolean {
    return isSame(proof, this.ofServer(nonce, statement));
  }

  /**
   * @param path the one method that the proof is good for: `/gateway.v1.AdminService/GetStatus`
   * @throws RangeError when the nonce does not have 32 bytes
   */
  ofCaller(nonce: Buffer, timeMs: number, path: string): CallerProof {
    return { nonce, timeMs, proof: tagOf(this.#callerKey, nonce, timeMs, path) };
  }

  isOfCaller({ nonce, timeMs, proof }: CallerProof, path: string): boolean {
    return isSame(proof, tagOf(this.#callerKey, nonce, timeMs, path));
  }
}

export function newNonce(): Buffer {
  return randomBytes(NONCE_BYTES);
}

function keyFor(adminToken: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', adminToken, '', purpose, KEY_BYTES));
}

/** The two first parts have a fixed length, so that no two statements have the same bytes. */
function tagOf(key: Buffer, nonce: Buffer, timeMs: number, text: string): Buffer {
  if (nonce.length !== NONCE_BYTES) throw new RangeError(`expected a nonce of ${NONCE_BYTES} bytes`);
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(timeMs));
  return createHmac('sha256', key).update(nonce).update(time).update(text).digest();
}

function isSame(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

export const NONCE_BYTES = 32;
const KEY_BYTES = 32;
/** Distinct keys per side, so that one side's proof is never valid for the other. */
const SERVER_PURPOSE = 'model-gateway: a control plane has ADMIN_TOKEN';
const CALLER_PURPOSE = 'model-gateway: a caller has ADMIN_TOKEN';

/** Statement that the server's proof covers. */
export interface ServerStatement {
  timeMs: number;
  installation: string;
}

/** The call that a caller's proof covers. */
export interface ProvedCall {
  /** `/gateway.v1.AdminService/GetStatus` */
  path: string;
  /** The serialized request. */
  body: Uint8Array;
}

export interface CallerProof {
  /** Nonce for which the server has proved itself. */
  nonce: Buffer;
  /** Server's time, so that the proof ages by the server's clock. */
  timeMs: number;
  /** HMAC-SHA256, 32 bytes. */
  proof: Buffer;
}

/**
 * Proves possession of ADMIN_TOKEN without sending it: the control plane to its caller, then the caller to
 * the control plane. The proofs reveal nothing of a 32-byte random token.
 */
export class AdminProof {
  readonly #serverKey: Buffer;
  readonly #callerKey: Buffer;

  constructor(adminToken: string) {
    this.#serverKey = keyFor(adminToken, SERVER_PURPOSE);
    this.#callerKey = keyFor(adminToken, CALLER_PURPOSE);
  }

  /** @throws RangeError when the nonce does not have 32 bytes */
  proveServer(nonce: Buffer, { timeMs, installation }: ServerStatement): Buffer {
    return tagOf(this.#serverKey, nonce, timeMs, installation);
  }

  verifyServer(proof: Buffer, nonce: Buffer, statement: ServerStatement): boolean {
    return isSame(proof, this.proveServer(nonce, statement));
  }

  /**
   * @param call the one call allowed
   * @throws RangeError when the nonce has another length
   */
  proveCaller(nonce: Buffer, timeMs: number, call: ProvedCall): CallerProof {
    return { nonce, timeMs, proof: tagOf(this.#callerKey, nonce, timeMs, textOf(call)) };
  }

  verifyCaller({ nonce, timeMs, proof }: CallerProof, call: ProvedCall): boolean {
    return isSame(proof, tagOf(this.#callerKey, nonce, timeMs, textOf(call)));
  }
}

export function newNonce(): Buffer {
  return randomBytes(NONCE_BYTES);
}

function keyFor(adminToken: string, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', adminToken, '', purpose, KEY_BYTES));
}

/** The hash comes first, in hex of a fixed length, so that no two calls have the same text. */
function textOf({ path, body }: ProvedCall): string {
  return createHash('sha256').update(body).digest('hex') + path;
}

/** Fixed lengths first, so that no two statements have the same bytes. */
function tagOf(key: Buffer, nonce: Buffer, timeMs: number, text: string): Buffer {
  if (nonce.length !== NONCE_BYTES) throw new RangeError(`expected a nonce of ${NONCE_BYTES} bytes`);
  const time = Buffer.alloc(8);
  time.writeBigInt64BE(BigInt(timeMs));
  return createHmac('sha256', key).update(nonce).update(time).update(text).digest();
}

function isSame(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

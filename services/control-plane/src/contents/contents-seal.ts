import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { deriveKey, openSealedBytes, pepperFingerprint, sealBytes } from '@model-gateway/shared';
import { type StoredContents, storedContents } from './stored-contents.ts';

const KEY_PURPOSE = 'model-gateway contents of requests, version 1';
const KEY_BYTES = 32;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** A key as it is stored. */
export interface SealedKey {
  sealed: Uint8Array;
  /** The same under the previous pepper, while it is replaced. */
  previousSealed: Uint8Array | null;
  pepperFingerprint: string;
}

/**
 * Encrypts the keys of accounts' contents with a key derived from the pepper. The contents themselves are
 * encrypted with the account's key: a new pepper changes one row per account, and without that row nothing
 * can read them.
 */
export class ContentsSeal {
  readonly #current: PepperKey;
  readonly #all: readonly PepperKey[];

  constructor(pepper: string, oldPepper: string | undefined) {
    this.#current = pepperKey(pepper);
    this.#all = oldPepper === undefined ? [this.#current] : [this.#current, pepperKey(oldPepper)];
  }

  newKey(accountId: string): SealedKey {
    return this.#seal(randomBytes(KEY_BYTES), accountId, null);
  }

  /** @returns undefined if it was sealed with another pepper, or for another account */
  open({ previousSealed, sealed }: SealedKey, accountId: string): Buffer | undefined {
    for (const { key } of this.#all) {
      for (const each of [sealed, previousSealed]) {
        const opened = each === null ? undefined : openSealedBytes(key, Buffer.from(each), accountId);
        if (opened !== undefined) return opened;
      }
    }
    return undefined;
  }

  /**
   * Seals a key with the current pepper. Keeps its seal of the previous one until that is no longer
   * configured: other control planes may still have it.
   * @returns undefined if nothing is to do, or no pepper opens the key
   */
  renew(stored: SealedKey, accountId: string): SealedKey | undefined {
    const isReplaced = this.#all.length === 1;
    const isCurrent = stored.pepperFingerprint === this.#current.fingerprint;
    if (isCurrent && (stored.previousSealed === null || !isReplaced)) return undefined;
    if (isCurrent) return { ...stored, previousSealed: null };
    const key = this.open(stored, accountId);
    return key && this.#seal(key, accountId, isReplaced ? null : stored.sealed);
  }

  #seal(key: Buffer, accountId: string, previousSealed: Uint8Array | null): SealedKey {
    const sealed = sealBytes(this.#current.key, [key], accountId);
    return { sealed, previousSealed, pepperFingerprint: this.#current.fingerprint };
  }
}

interface PepperKey {
  fingerprint: string;
  key: Buffer;
}

function pepperKey(pepper: string): PepperKey {
  return { fingerprint: pepperFingerprint(pepper), key: deriveKey(pepper, KEY_PURPOSE) };
}

/** Compresses and encrypts contents, bound to their request. */
export async function sealContents(
  key: Buffer,
  requestId: string,
  contents: StoredContents,
): Promise<Buffer> {
  return sealBytes(key, [await compress(JSON.stringify(contents))], requestId);
}

/** @returns undefined if they were changed, or sealed with another key or for another request */
export async function openContents(
  key: Buffer,
  requestId: string,
  sealed: Uint8Array,
): Promise<StoredContents | undefined> {
  const opened = openSealedBytes(key, Buffer.from(sealed), requestId);
  return opened && storedContents.parse(JSON.parse((await decompress(opened)).toString()));
}

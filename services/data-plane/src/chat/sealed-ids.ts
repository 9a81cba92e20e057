import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IdSealer } from '@model-gateway/dialects';

/**
 * Ids of provider-stored responses as callers see them. All callers share one account at the provider:
 * without a seal, anyone who learns an id could read the response.
 */

/** The provider and model behind a sealed id. */
export interface SealedResponse {
  providerId: string;
  modelId: string;
  responseId: string;
}

/** Prefix of OpenAI's ids, which some clients check. */
const PREFIX = 'resp_';
const VERSION = 1;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const KEY_PURPOSE = 'model-gateway ids of responses, version 1';
/** A character that no provider id and no model name contains. */
const SEPARATOR = '\0';
/** Upper bound of an id's length; no provider's ids are that long. */
const MAX_CHARACTERS = 4_096;

/** Seals and opens ids. Stateless: every data plane with the same pepper opens them, also after a restart. */
export class SealedIds {
  /** Derived from the pepper and, during its replacement, from the old one. */
  readonly #keys: readonly [Buffer, ...Buffer[]];

  constructor(pepper: string, oldPepper?: string) {
    this.#keys = oldPepper === undefined ? [keyOf(pepper)] : [keyOf(pepper), keyOf(oldPepper)];
  }

  sealer(accountId: string, modelId: string): IdSealer {
    return { seal: (providerId, responseId) => this.#seal(accountId, { providerId, modelId, responseId }) };
  }

  /** @returns undefined for an id that is invalid, changed, or sealed for another account */
  open(accountId: string, id: string): SealedResponse | undefined {
    const sealed = bytesOf(id);
    if (sealed === undefined || sealed[0] !== VERSION) return undefined;
    const tag = sealed.subarray(1, 1 + TAG_BYTES);
    const content = sealed.subarray(1 + TAG_BYTES);
    if (tag.length !== TAG_BYTES) return undefined;
    if (!this.#keys.some((key) => timingSafeEqual(tagOf(key, accountId, content), tag))) return undefined;
    const [providerId, modelId, ...rest] = content.toString().split(SEPARATOR);
    if (providerId === undefined || modelId === undefined) return undefined;
    return { providerId, modelId, responseId: rest.join(SEPARATOR) };
  }

  #seal(accountId: string, { providerId, modelId, responseId }: SealedResponse): string {
    const content = Buffer.from([providerId, modelId, responseId].join(SEPARATOR));
    const tag = tagOf(this.#keys[0], accountId, content);
    return PREFIX + Buffer.concat([Buffer.of(VERSION), tag, content]).toString('base64url');
  }
}

/** @returns undefined unless the id is spelled exactly as `seal` writes it */
function bytesOf(id: string): Buffer | undefined {
  if (!id.startsWith(PREFIX) || id.length > MAX_CHARACTERS) return undefined;
  const text = id.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** Derives a key for this purpose only, so that it reveals nothing about other uses of the pepper. */
function keyOf(pepper: string): Buffer {
  return Buffer.from(hkdfSync('sha256', pepper, '', KEY_PURPOSE, KEY_BYTES));
}

function tagOf(key: Buffer, accountId: string, content: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(accountId)
    .update(SEPARATOR)
    .update(content)
    .digest()
    .subarray(0, TAG_BYTES);
}

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IdSealer } from '@model-gateway/dialects';

/**
 * The ids under which callers know the responses that a provider keeps. All callers share one account there:
 * without a seal, whoever has learnt an id could read what somebody else wrote.
 */

/** Whose response it is at which provider, and of which model of the gateway. */
export interface SealedResponse {
  providerId: string;
  modelId: string;
  /** The provider's own id of it. */
  responseId: string;
}

/** Prefix of OpenAI's own ids. Some clients check it. */
const PREFIX = 'resp_';
const VERSION = 1;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const KEY_PURPOSE = 'model-gateway ids of responses, version 1';
/** No id of a provider, and no name of a model, has this character. */
const SEPARATOR = '\0';
/** Longer than the id of any provider. */
const MOST_CHARACTERS = 4_096;

/** Every data plane with the same pepper reads them, also after a restart: nothing is kept. */
export class SealedIds {
  /** Keys of the pepper and, during its replacement, of the old one. */
  readonly #keys: readonly [Buffer, ...Buffer[]];

  constructor(pepper: string, oldPepper?: string) {
    this.#keys = oldPepper === undefined ? [keyOf(pepper)] : [keyOf(pepper), keyOf(oldPepper)];
  }

  sealer(accountId: string, modelId: string): IdSealer {
    return { seal: (providerId, responseId) => this.#seal(accountId, { providerId, modelId, responseId }) };
  }

  /** @returns undefined for an id that is none, was changed, or was sealed for another account */
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

/** @returns undefined for an id that is not written as `seal` writes it: each seal has one spelling only */
function bytesOf(id: string): Buffer | undefined {
  if (!id.startsWith(PREFIX) || id.length > MOST_CHARACTERS) return undefined;
  const text = id.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

/** A key of its own, derived from the pepper: what is learnt of one of its uses helps nobody with another. */
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

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IdSealer } from '@model-gateway/dialects';
import type { AffinityKey } from '../affinity/rendezvous.ts';

/**
 * Ids of provider-stored responses as callers see them. All callers share one account at the provider:
 * without a seal, anyone who learns an id could read the response.
 */

/** The provider and model behind a sealed id. */
export interface SealedResponse {
  providerId: string;
  modelId: string;
  responseId: string;
  /** Key of its conversation, if the provider has several credentials to choose from. */
  affinityKey?: AffinityKey | undefined;
  /** Ids of guardrails that checked it, besides those of its own model and of its account. */
  guardrails?: readonly string[] | undefined;
}

/** Prefix of OpenAI's ids, which some clients check. */
const PREFIX = 'resp_';
/** Versions of ids: without and with the key of a conversation, and both of them with guardrails. */
const VERSION = 1;
const VERSION_WITH_KEY = 2;
const VERSIONS_WITH_GUARDRAILS = 2;
const LAST_VERSION = VERSION_WITH_KEY + VERSIONS_WITH_GUARDRAILS;
const AFFINITY_BYTES = 8;
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

  /** @param guardrails is called for each id */
  sealer(
    accountId: string,
    modelId: string,
    affinityKey?: AffinityKey,
    guardrails: () => readonly string[] = () => [],
  ): IdSealer {
    return {
      seal: (providerId, responseId) =>
        this.#seal(accountId, { providerId, modelId, responseId, affinityKey, guardrails: guardrails() }),
    };
  }

  /** @returns undefined for an id that is invalid, changed, or sealed for another account */
  open(accountId: string, id: string): SealedResponse | undefined {
    const sealed = bytesOf(id);
    const version = sealed?.[0] ?? 0;
    if (sealed === undefined || version < VERSION || version > LAST_VERSION) return undefined;
    const tag = sealed.subarray(1, 1 + TAG_BYTES);
    const content = sealed.subarray(1 + TAG_BYTES);
    if (tag.length !== TAG_BYTES) return undefined;
    const matches = (key: Buffer) => timingSafeEqual(tagOf(key, accountId, version, content), tag);
    if (!this.#keys.some(matches)) return undefined;
    const affinity = version % 2 === VERSION % 2 ? undefined : content.subarray(0, AFFINITY_BYTES);
    const parts = content
      .subarray(affinity?.length ?? 0)
      .toString()
      .split(SEPARATOR);
    const guardrails = version > VERSION_WITH_KEY ? parts.shift()?.split(',') : undefined;
    const [providerId, modelId, ...rest] = parts;
    if (providerId === undefined || modelId === undefined) return undefined;
    const affinityKey = affinity && { high: affinity.readUInt32BE(0), low: affinity.readUInt32BE(4) };
    return { providerId, modelId, responseId: rest.join(SEPARATOR), affinityKey, guardrails };
  }

  #seal(
    accountId: string,
    { affinityKey, guardrails = [], modelId, providerId, responseId }: SealedResponse,
  ): string {
    const isChecked = guardrails.length > 0;
    const version =
      (affinityKey === undefined ? VERSION : VERSION_WITH_KEY) + (isChecked ? VERSIONS_WITH_GUARDRAILS : 0);
    const checkedBy = isChecked ? [guardrails.join(',')] : [];
    const text = Buffer.from([...checkedBy, providerId, modelId, responseId].join(SEPARATOR));
    const content = affinityKey === undefined ? text : Buffer.concat([bytesOfKey(affinityKey), text]);
    const tag = tagOf(this.#keys[0], accountId, version, content);
    return PREFIX + Buffer.concat([Buffer.of(version), tag, content]).toString('base64url');
  }
}

function bytesOfKey({ high, low }: AffinityKey): Buffer {
  const bytes = Buffer.alloc(AFFINITY_BYTES);
  bytes.writeUInt32BE(high, 0);
  bytes.writeUInt32BE(low, 4);
  return bytes;
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

function tagOf(key: Buffer, accountId: string, version: number, content: Buffer): Buffer {
  const hmac = createHmac('sha256', key).update(accountId).update(SEPARATOR);
  // No id of a provider or guardrail begins with these bytes, so no version opens as another.
  if (version !== VERSION) hmac.update(Buffer.of(version));
  return hmac.update(content).digest().subarray(0, TAG_BYTES);
}

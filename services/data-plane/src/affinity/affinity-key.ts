import { hash } from 'node:crypto';
import type { ConversationStart } from '@model-gateway/shared';
import { type AffinityKey, hashText } from './rendezvous.ts';

/** Separates the parts of a hashed text; no id contains it. */
const SEPARATOR = '\0';
/** Two different seeds, so that one text has two independent hashes. */
const HIGH_SEED = 0x811c9dc5;
const LOW_SEED = 0x9e3779b9;

/** Returns the key of a conversation. @param id its session, or the hash of its first messages */
export function affinityKey(accountId: string, kind: 'session' | 'prefix', id: string): AffinityKey {
  const text = `${accountId}${SEPARATOR}${kind}${SEPARATOR}${id}`;
  return { high: hashText(text, HIGH_SEED), low: hashText(text, LOW_SEED) };
}

/** Returns the SHA-256 of the system prompt and the first user message. */
export function hashStart(start: ConversationStart): string {
  return hash('sha256', start.map(textOf).join(SEPARATOR), 'base64url');
}

/**
 * Returns the text of a message's content: the same for a string and for a list with this text, because
 * clients send the last message of a turn as a list, with a cache mark, and later as a string.
 */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content)) return content.map(textOfPart).join(SEPARATOR);
  return JSON.stringify(content) ?? '';
}

function textOfPart(part: unknown): string {
  if (typeof part !== 'object' || part === null) return JSON.stringify(part);
  if ('text' in part && typeof part.text === 'string') return part.text;
  return JSON.stringify({ ...part, cache_control: undefined });
}

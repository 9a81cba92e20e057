import { hash } from 'node:crypto';
import type { ConversationStart } from '@model-gateway/shared';
import type { AffinityKey } from './rendezvous.ts';

/** Separates parts of what is hashed; no id contains it. */
const SEPARATOR = '\0';

/** Returns the key of a conversation. @param id its session, or the hash of its start */
export function affinityKey(accountId: string, kind: 'session' | 'prefix', id: string): AffinityKey {
  const digest = hash('sha256', [accountId, kind, id].join(SEPARATOR), 'buffer');
  return { high: digest.readUInt32BE(0), low: digest.readUInt32BE(4) };
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

import { z } from 'zod';
import { isSameSecret } from '../protocols/same-secret.ts';
import { signText } from '../text/sign-text.ts';

/** The beginning of what OpenAI sends. */
const PREFIX = 'gAAAA';
const payload = z.tuple([z.string(), z.string()]);

/**
 * Puts a thought where a client cannot read it at once, so that it can be sent back where nothing is kept.
 * It is not hidden, but signed.
 */
export function encryptReasoning(id: string, thinking: string): string {
  const hidden = PREFIX + Buffer.from(JSON.stringify([id, thinking])).toString('base64url');
  return `${hidden}.${signText(`reasoning ${hidden}`)}`;
}

/** The thought, and the id of its item; undefined when it was changed. */
export function decryptReasoning(content: string): { id: string; thinking: string } | undefined {
  const [hidden = '', ...signature] = content.split('.');
  const isSigned = isSameSecret(signature.join('.'), signText(`reasoning ${hidden}`));
  if (!isSigned || !content.startsWith(PREFIX)) return undefined;
  const [id, thinking] = payload.parse(
    JSON.parse(Buffer.from(hidden.slice(PREFIX.length), 'base64url').toString()),
  );
  return { id, thinking };
}

import { z } from 'zod';
import { isSameSecret, signText } from '../text/signatures.ts';

/** OpenAI's encrypted content begins like this. */
const PREFIX = 'gAAAA';
const payload = z.tuple([z.string(), z.string()]);

/** Encodes and signs reasoning, so that a client can send it back. It is not encrypted. */
export function encryptReasoning(id: string, thinking: string): string {
  const hidden = PREFIX + Buffer.from(JSON.stringify([id, thinking])).toString('base64url');
  return `${hidden}.${signText(`reasoning ${hidden}`)}`;
}

/** Returns the reasoning and the id of its item; undefined if it was changed. */
export function decryptReasoning(content: string): { id: string; thinking: string } | undefined {
  const [hidden = '', ...signature] = content.split('.');
  const isSigned = isSameSecret(signature.join('.'), signText(`reasoning ${hidden}`));
  if (!isSigned || !content.startsWith(PREFIX)) return undefined;
  const [id, thinking] = payload.parse(
    JSON.parse(Buffer.from(hidden.slice(PREFIX.length), 'base64url').toString()),
  );
  return { id, thinking };
}

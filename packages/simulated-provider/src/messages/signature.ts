import { createHmac } from 'node:crypto';
import { isSameSecret } from '../protocols/same-secret.ts';

/** It protects nothing. It is the same in every process, so that a conversation can go on after a restart. */
const KEY = 'simulated signature';

/** Signs the text of a thinking block, so that a changed one is noticed when it comes back. */
export function signThinking(thinking: string): string {
  return mac(`thinking ${thinking}`);
}

export function isSignedThinking(thinking: string, signature: string): boolean {
  return isSameSecret(signature, signThinking(thinking));
}

/** Hides a thought, as in the block that stands for thinking that nobody may read. */
export function sealThinking(thinking: string): string {
  const hidden = mac(`hidden ${thinking}`);
  return `${hidden}.${mac(`redacted ${hidden}`)}`;
}

export function isSealedThinking(data: string): boolean {
  const [hidden = '', sealed = ''] = data.split('.');
  return isSameSecret(sealed, mac(`redacted ${hidden}`));
}

function mac(text: string): string {
  return createHmac('sha512', KEY).update(text).digest('base64');
}

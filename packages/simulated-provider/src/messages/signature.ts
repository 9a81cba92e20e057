import { isSameSecret } from '../protocols/same-secret.ts';
import { signText } from '../text/sign-text.ts';

/** Signs the text of a thinking block, so that a changed one is noticed when it comes back. */
export function signThinking(thinking: string): string {
  return signText(`thinking ${thinking}`);
}

export function isSignedThinking(thinking: string, signature: string): boolean {
  return isSameSecret(signature, signThinking(thinking));
}

/** Hides a thought, as in the block that stands for thinking that nobody may read. */
export function sealThinking(thinking: string): string {
  const hidden = signText(`hidden ${thinking}`);
  return `${hidden}.${signText(`redacted ${hidden}`)}`;
}

export function isSealedThinking(data: string): boolean {
  const [hidden = '', sealed = ''] = data.split('.');
  return isSameSecret(sealed, signText(`redacted ${hidden}`));
}

import { isSameSecret, signText } from '../text/signatures.ts';

/** Signs the text of a thinking block. */
export function signThinking(thinking: string): string {
  return signText(`thinking ${thinking}`);
}

export function isSignedThinking(thinking: string, signature: string): boolean {
  return isSameSecret(signature, signThinking(thinking));
}

/** Hides thinking, for a `redacted_thinking` block. */
export function sealThinking(thinking: string): string {
  const hidden = signText(`hidden ${thinking}`);
  return `${hidden}.${signText(`redacted ${hidden}`)}`;
}

export function isSealedThinking(data: string): boolean {
  const [hidden = '', sealed = ''] = data.split('.');
  return isSameSecret(sealed, signText(`redacted ${hidden}`));
}

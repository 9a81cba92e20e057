import { setNonce } from 'get-nonce';

/** The nonce that the page's content security policy requires of every style that a script adds. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

// The library that stops scrolling behind a dialog adds a style of its own.
setNonce(nonce);

export function styleNonce(): string {
  return nonce;
}

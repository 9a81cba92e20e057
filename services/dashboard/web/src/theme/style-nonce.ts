import { setNonce } from 'get-nonce';

/** The nonce that the page's own content security policy asks of every style that a script adds. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

// What locks scrolling behind a dialog adds a style of its own.
setNonce(nonce);

export function styleNonce(): string {
  return nonce;
}

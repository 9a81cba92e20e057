import { setNonce } from 'get-nonce';

/** The nonce that the content security policy requires for styles added by scripts. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

// For react-remove-scroll, which Mantine's dialogs use.
setNonce(nonce);

export function styleNonce(): string {
  return nonce;
}

import { ApiError } from '../api/client.ts';

/** Returns true if passkeys work in this browser and on this page, which must have a domain name. */
export function passkeysWork(): boolean {
  return (
    window.isSecureContext &&
    typeof PublicKeyCredential === 'function' &&
    typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function' &&
    !isAddress(window.location.hostname)
  );
}

/** IPv4 and IPv6 addresses are no domains of passkeys. */
function isAddress(hostname: string): boolean {
  return /^(\d+\.){3}\d+$|^\[/.test(hostname);
}

/**
 * Lets the browser create a passkey. @param options of the server
 * @returns what the server verifies. @throws {ApiError} if the user does not go on
 */
export async function createPasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return await jsonOf(navigator.credentials.create({ publicKey }));
}

/** Lets the browser sign with a passkey. As createPasskey. */
export async function signWithPasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return await jsonOf(navigator.credentials.get({ publicKey }));
}

async function jsonOf(asking: Promise<Credential | null>): Promise<unknown> {
  const credential = await asking.catch((error: unknown) => {
    throw passkeyError(error);
  });
  if (credential instanceof PublicKeyCredential) return credential.toJSON();
  throw passkeyError(undefined);
}

function passkeyError(error: unknown): ApiError {
  const isKnown = error instanceof DOMException && error.name === 'InvalidStateError';
  const message = isKnown
    ? 'This device has a passkey for you already.'
    : 'No passkey was used. Try again, or choose another way.';
  return new ApiError(message, { status: 0, code: 'no_passkey' });
}

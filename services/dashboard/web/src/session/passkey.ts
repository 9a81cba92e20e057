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

/** Returns true for IPv4 and IPv6 addresses, for which there are no passkeys. */
function isAddress(hostname: string): boolean {
  return /^(\d+\.){3}\d+$|^\[/.test(hostname);
}

/**
 * Lets the browser create a passkey. @param options from the server
 * @returns the credential as JSON, for the server. @throws {ApiError} if the user cancels
 */
export async function createPasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  return await jsonOf(navigator.credentials.create({ publicKey }));
}

/** Lets the browser sign a challenge with a passkey. Parameters and errors are those of createPasskey. */
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

/** Anything shaped like a secret that must not reach a caller, whoever's it is. */
const SECRET_SHAPES = /\b(?:Bearer\s+\S+|(?:sk|gw_live|pk|rk|xai|gsk)[-_][A-Za-z0-9_-]{8,})/gi;
const MIN_SECRET_LENGTH = 16;
export const REDACTED = '[redacted]';

/** A function that removes our credential of the provider, and all that looks like a key, from a text. */
export function secretRedactor(credential: string | undefined): (text: string) => string {
  return (text) => removeCredential(text, credential).replace(SECRET_SHAPES, REDACTED);
}

/**
 * Removes the provider credential of ours from an answer that is otherwise passed on whole. Local servers are
 * often given a word such as "none" or "ollama" for a key: no secret, and answers may well hold it.
 */
export function cleanAnswer(text: string, credential: string | undefined): string {
  return isSecret(credential) ? removeCredential(text, credential) : text;
}

/** What of a credential must not stand in an answer; undefined: it is no secret. */
export function secretBytes(credential: string | undefined): Buffer | undefined {
  return isSecret(credential) ? Buffer.from(credential) : undefined;
}

function isSecret(credential: string | undefined): credential is string {
  return credential !== undefined && credential.length >= MIN_SECRET_LENGTH;
}

function removeCredential(text: string, credential: string | undefined): string {
  return credential === undefined || !text.includes(credential)
    ? text
    : text.replaceAll(credential, REDACTED);
}

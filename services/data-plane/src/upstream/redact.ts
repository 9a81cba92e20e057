import { withPlainEscapes } from '../json/plain-escapes.ts';

/** Anything shaped like a secret that must not reach a caller, whoever's it is. */
const SECRET_SHAPES = /\b(?:Bearer\s+\S+|(?:sk|gw_live|pk|rk|xai|gsk)[-_][A-Za-z0-9_-]{8,})/gi;
const MIN_SECRET_LENGTH = 16;
export const REDACTED = '[redacted]';

/** A function that removes our credential of the provider, and all that looks like a key, from a text. */
export function secretRedactor(credential: string | undefined): (text: string) => string {
  return (text) => removeCredential(text, credential).replace(SECRET_SHAPES, REDACTED);
}

/**
 * As `secretRedactor` of each string in a JSON object, so that it stays one: in the text, what looks like a key
 * may reach beyond the end of its string, and an escaped one looks like none.
 * @returns the text as it came where nothing had to be removed; undefined: it is no JSON object
 */
export function redactedJson(text: string, credential: string | undefined): string | undefined {
  const redact = secretRedactor(credential);
  let isChanged = false;
  const withoutSecrets = (_name: string, value: unknown) => {
    if (typeof value !== 'string') return value;
    const redacted = redact(value);
    isChanged ||= redacted !== value;
    return redacted;
  };
  try {
    const value: unknown = JSON.parse(text, withoutSecrets);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return cleanAnswer(isChanged ? JSON.stringify(value) : text, credential);
  } catch {
    return undefined;
  }
}

/**
 * Removes the provider credential of ours from an answer that is otherwise passed on whole. Local servers are
 * often given a word such as "none" or "ollama" for a key: no secret, and answers may well hold it.
 */
export function cleanAnswer(text: string, credential: string | undefined): string {
  return isSecret(credential) ? removeCredential(text, credential) : text;
}

/** As `cleanAnswer`, of JSON: an escaped secret is one all the same. */
export function cleanJson(json: string, credential: string | undefined): string {
  if (!isSecret(credential)) return json;
  const cleaned = removeCredential(json, credential);
  const plain = withPlainEscapes(cleaned);
  return plain !== cleaned && plain.includes(credential) ? removeCredential(plain, credential) : cleaned;
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

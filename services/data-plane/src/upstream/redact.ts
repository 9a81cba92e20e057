import { withPlainEscapes } from '@model-gateway/dialects';

/** Anything shaped like a secret that must not reach a caller, whoever's it is. */
const SECRET_SHAPES = /\b(?:Bearer\s+\S+|(?:sk|gw_live|pk|rk|xai|gsk)[-_][A-Za-z0-9_-]{8,})/gi;
const MIN_SECRET_LENGTH = 16;
export const REDACTED = '[redacted]';

/** The values of all credentials of ours that its provider may know: each has sent one of them. */
export type Secrets = readonly string[];

/** A function that removes our credentials of the provider, and all that looks like a key, from a text. */
export function secretRedactor(secrets: Secrets): (text: string) => string {
  return (text) => secrets.reduce(removeSecret, text).replace(SECRET_SHAPES, REDACTED);
}

/**
 * As `secretRedactor` of each string in a JSON object, so that it stays one: in the text, what looks like a
 * key may reach beyond the end of its string, and an escaped one looks like none.
 * @returns the text as it came where nothing had to be removed; undefined: it is no JSON object
 */
export function redactedJson(text: string, secrets: Secrets): string | undefined {
  const redact = secretRedactor(secrets);
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
    return cleanAnswer(isChanged ? JSON.stringify(value) : text, secrets);
  } catch {
    return undefined;
  }
}

/**
 * Removes the provider credentials of ours from an answer that is otherwise passed on whole. Local servers
 * are often given a word such as "none" or "ollama" for a key: no secret, and answers may well hold it.
 */
export function cleanAnswer(text: string, secrets: Secrets): string {
  let cleaned = text;
  for (const secret of secrets) if (isSecret(secret)) cleaned = removeSecret(cleaned, secret);
  return cleaned;
}

/** As `cleanAnswer`, of JSON: an escaped secret is one all the same. */
export function cleanJson(json: string, secrets: Secrets): string {
  if (!secrets.some(isSecret)) return json;
  const cleaned = cleanAnswer(json, secrets);
  const plain = withPlainEscapes(cleaned);
  return plain === cleaned ? cleaned : cleanedPlain(cleaned, plain, secrets);
}

/** Its escapes stay as they are where they hide nothing. */
function cleanedPlain(json: string, plain: string, secrets: Secrets): string {
  const cleaned = cleanAnswer(plain, secrets);
  return cleaned === plain ? json : cleaned;
}

/** Returns the parts of the credentials that must not appear in a response. */
export function secretsAsBytes(secrets: Secrets): Buffer[] {
  return secrets.filter(isSecret).map((secret) => Buffer.from(secret));
}

function isSecret({ length }: string): boolean {
  return length >= MIN_SECRET_LENGTH;
}

function removeSecret(text: string, secret: string): string {
  return text.includes(secret) ? text.replaceAll(secret, REDACTED) : text;
}

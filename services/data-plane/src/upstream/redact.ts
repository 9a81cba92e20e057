import { withPlainEscapes } from '@model-gateway/dialects';
import type { GatewayError } from '@model-gateway/shared';
import { asProviderSaid } from '@model-gateway/shared/errors';

/**
 * Matches anything shaped like a secret, whoever owns it; also a key that is partly hidden, as OpenAI prints
 * it (`sk-proj-****abcd`), and secrets in the query of a URL. Takes linear time, because callers can make
 * providers repeat their words.
 */
const SECRET_SHAPES =
  /\b(?:Bearer\s+\S+|(?:sk|gw_live|gw_admin|gw_scim|pk|rk|xai|gsk)[-_](?:[A-Za-z0-9_-]{0,60}[*…][A-Za-z0-9_*…-]*|[A-Za-z0-9_-]{8,})|AIza[\w-]{20,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|(?<![\w-])eyJ[\w-]{8,}\.[\w.-]+|(?:api[-_]?key|access_token|token|signature|sig|secret)=[^\s&"']+)/gi;
const MIN_SECRET_LENGTH = 16;
export const REDACTED = '[redacted]';

/** Values of all our credentials that the provider may know. */
export type Secrets = readonly string[];

/** Returns a function that removes our credentials and everything that looks like a key from a text. */
export function secretRedactor(secrets: Secrets): (text: string) => string {
  return (text) => secrets.reduce(removeSecret, text).replace(SECRET_SHAPES, REDACTED);
}

/**
 * Applies `secretRedactor` to each string of a JSON object. In the raw text, a match could cross the end of a
 * string, and an escaped key would not match.
 * @returns the text unchanged if nothing was removed; undefined if it is no JSON object
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
 * Removes our provider credentials from a response that otherwise passes unchanged. Short ones stay: local
 * servers often take a word such as "none" or "ollama", which responses may contain.
 */
export function cleanAnswer(text: string, secrets: Secrets): string {
  let cleaned = text;
  for (const secret of secrets) if (isSecret(secret)) cleaned = removeSecret(cleaned, secret);
  return cleaned;
}

/** Applies `cleanAnswer` to JSON, also to escaped secrets. */
export function cleanJson(json: string, secrets: Secrets): string {
  if (!secrets.some(isSecret)) return json;
  const cleaned = cleanAnswer(json, secrets);
  const plain = withPlainEscapes(cleaned);
  if (plain === cleaned) return cleaned;
  const cleanedPlain = cleanAnswer(plain, secrets);
  // Keep escapes that hide no secret.
  return cleanedPlain === plain ? cleaned : cleanedPlain;
}

export function secretsAsBytes(secrets: Secrets): Buffer[] {
  return secrets.filter(isSecret).map((secret) => Buffer.from(secret));
}

function isSecret({ length }: string): boolean {
  return length >= MIN_SECRET_LENGTH;
}

function removeSecret(text: string, secret: string): string {
  return text.includes(secret) ? text.replaceAll(secret, REDACTED) : text;
}

/** Removes secrets from a provider's error, which can pass to the caller. */
export function cleanError(error: GatewayError, secrets: Secrets): GatewayError {
  const { providersBody, status } = error;
  if (providersBody === undefined) return error;
  return asProviderSaid(error, { status, body: redactedJson(providersBody, secrets) ?? '{}' });
}

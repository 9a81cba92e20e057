import { type BodyLabels, hasAtMost, MAX_END_USER, MAX_SESSION } from '@model-gateway/shared';
import { invalidField } from '@model-gateway/shared/errors';
import { MAX_TAGS, TAG_NAME, TAG_VALUE, type Tags } from '@model-gateway/shared/rules';
import type { AuthenticatedExchange } from '../http/exchange.ts';

const TAGS = 'x-gateway-tags';
const END_USER = 'x-gateway-end-user';
const SESSION = 'x-session-id';
const CLAUDE_CODE_SESSION = 'x-claude-code-session-id';
const TAGS_FORMAT =
  `must be at most ${MAX_TAGS} pairs such as project=alpha,env=prod; a name has 1 to 64 of the characters ` +
  'a-z 0-9 _ . -, a value 1 to 128 visible characters';

/**
 * Reads the labels of a request from its headers and its body: tags, end user and session. A header wins over
 * the body, and a tag of the key over the caller's. Sets `record.tags`, `endUser` and `session`.
 * @throws GatewayError 400 for an invalid header
 */
export function readLabels(
  { record, req: { headers } }: AuthenticatedExchange,
  body: BodyLabels | undefined,
) {
  const given = headers[TAGS];
  const own = record.key.tags;
  if (given !== undefined) record.tags = { ...parseTags(decodeUtf8(String(given))), ...own };
  else if (Object.keys(own).length > 0) record.tags = own;
  const endUser = readHeader(headers[END_USER], END_USER, MAX_END_USER) ?? body?.endUser;
  if (endUser !== undefined) record.endUser = replaceNul(endUser);
  const session =
    readHeader(headers[SESSION], SESSION, MAX_SESSION) ??
    body?.session ??
    readHeader(headers[CLAUDE_CODE_SESSION], CLAUDE_CODE_SESSION, MAX_SESSION) ??
    body?.cacheKey;
  if (session !== undefined) record.session = replaceNul(session);
}

/** Replaces NUL, which Postgres does not store, as settlement does. */
function replaceNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

function parseTags(text: string): Tags {
  const tags = new Map<string, string>();
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue;
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair)?.map((part) => part.trim()) ?? [];
    if (!TAG_NAME.test(name) || !TAG_VALUE.test(value)) throw invalidField(TAGS, TAGS_FORMAT);
    if (tags.has(name)) throw invalidField(TAGS, `has the tag ${name} twice`);
    tags.set(name, value);
  }
  if (tags.size > MAX_TAGS) throw invalidField(TAGS, TAGS_FORMAT);
  return Object.fromEntries(tags);
}

/** @returns undefined for an empty or absent header */
function readHeader(given: string | string[] | undefined, name: string, max: number): string | undefined {
  if (given === undefined || given === '') return undefined;
  const value = decodeUtf8(String(given));
  if (!hasAtMost(value, max)) throw invalidField(name, `may have at most ${max} characters`);
  return value;
}

/** Decodes UTF-8 in a header, which Node reads as Latin-1. */
function decodeUtf8(header: string): string {
  return /^[\x20-\x7e]*$/.test(header) ? header : Buffer.from(header, 'latin1').toString();
}

import { createHmac } from 'node:crypto';
import {
  type JsonBody,
  parseExactJson,
  totalLength,
  type WholeForm,
  writeCanonicalJson,
} from '@model-gateway/dialects';

/** The parts of a request that make it equal to another one. */
export type FingerprintedBody = readonly (string | Buffer)[];

/**
 * Returns the same parts for JSON bodies with the same meaning: the order of members, spaces and escapes make
 * no difference, numbers keep all of their digits. A large body is compared byte by byte, because
 * parsing it here would hold up other requests.
 */
export function fingerprintedJson({
  chunks,
  isLarge,
}: Pick<JsonBody<unknown>, 'chunks' | 'isLarge'>): FingerprintedBody {
  if (isLarge) return chunks;
  const text = Buffer.concat(chunks).toString();
  return [writeCanonicalJson(parseExactJson(text))];
}

/** Returns the same for a form: clients choose another boundary for each try. */
export function fingerprintedForm({ fields, files }: WholeForm): FingerprintedBody {
  const heads = files.map(({ chunks, ...file }) => ({ ...file, bytes: totalLength(chunks) }));
  return [JSON.stringify({ fields, files: heads }), ...files.flatMap(({ chunks }) => chunks)];
}

/** @param scope what else must be equal, such as the endpoint */
export function fingerprint(key: Buffer, scope: readonly string[], body: FingerprintedBody): string {
  const hmac = createHmac('sha256', key).update(`${JSON.stringify(scope)}\n`);
  for (const part of body) hmac.update(part);
  return hmac.digest('base64url');
}

import { createHmac } from 'node:crypto';
import {
  type IncomingForm,
  type JsonBody,
  parseExactJson,
  writeCanonicalJson,
} from '@model-gateway/dialects';

/** A form whose file has arrived. */
export type WholeForm = IncomingForm & { file: { content: Buffer } };

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
export function fingerprintedForm({ fields, file }: WholeForm): FingerprintedBody {
  const { content, filename, mimeType } = file;
  return [JSON.stringify({ fields, filename, mimeType }), content];
}

/** @param scope what else must be equal, such as the endpoint */
export function fingerprint(key: Buffer, scope: readonly string[], body: FingerprintedBody): string {
  const hmac = createHmac('sha256', key).update(`${JSON.stringify(scope)}\n`);
  for (const part of body) hmac.update(part);
  return hmac.digest('base64url');
}

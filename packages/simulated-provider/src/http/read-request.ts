import type { IncomingMessage } from 'node:http';
import { ProviderError } from '../errors/provider-error.ts';

/** Above the limit of the gateway, so that a body that is too large is refused there and not here. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export type ParsedBody =
  | { kind: 'none' }
  | { kind: 'json'; json: unknown }
  | { kind: 'form'; form: FormData }
  | { kind: 'unreadable'; error: ProviderError };

export interface ReadBody {
  bytes: Buffer;
  /** True if the client sent the whole body. */
  isComplete: boolean;
}

/** Reads a body to its end, or until the client gives up. @throws ProviderError 413 */
export async function readBody(req: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of req) {
      length += chunk.length;
      if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    }
  } catch {
    return { bytes: Buffer.concat(chunks), isComplete: false };
  }
  if (length > MAX_BODY_BYTES) throw new ProviderError(413, 'The request body is too large.');
  return { bytes: Buffer.concat(chunks), isComplete: true };
}

export function isForm(contentType: string | undefined): contentType is string {
  return /^multipart\/form-data\b/i.test(contentType ?? '');
}

export async function parseBody(contentType: string | undefined, bytes: Buffer): Promise<ParsedBody> {
  if (bytes.length === 0) return { kind: 'none' };
  try {
    if (!isForm(contentType)) return { kind: 'json', json: JSON.parse(bytes.toString()) };
    const headers = { 'content-type': contentType };
    return { kind: 'form', form: await new Response(new Uint8Array(bytes), { headers }).formData() };
  } catch {
    const error = new ProviderError(400, 'We could not parse the body of your request.');
    return { kind: 'unreadable', error };
  }
}

export function recordedBody(body: ParsedBody): unknown {
  if (body.kind === 'json') return body.json;
  return body.kind === 'form' ? formFields(body.form) : undefined;
}

/** Returns the fields of a form. A repeated field becomes an array, a file its name, type and size. */
function formFields(form: FormData): Record<string, unknown> {
  const fields = [...new Set(form.keys())].map((name) => {
    const values = form.getAll(name).map((value) => (typeof value === 'string' ? value : fileFields(value)));
    return [name, values.length === 1 ? values[0] : values];
  });
  return Object.fromEntries(fields);
}

function fileFields({ name, type, size }: File): object {
  return { filename: name, mime_type: type, bytes: size };
}

import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { CALLERS_NOTES, CALLERS_SESSION } from '@model-gateway/shared';
import type { FormField, IncomingForm } from '../../interfaces/incoming-form.ts';
import type { ProviderBody } from '../../interfaces/provider-body.ts';
import type { CallerPace } from '../../interfaces/provider-protocol.ts';

const OWN_FIELDS = new Set(['model', CALLERS_NOTES, CALLERS_SESSION]);

/** Writes the provider's name of the model first, then the caller's fields and file. */
export function encodeOpenAiForm(form: IncomingForm, upstreamModel: string, pace: CallerPace): ProviderBody {
  const boundary = `gateway-${randomBytes(16).toString('hex')}`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    content: Readable.from(parts(form, upstreamModel, boundary, pace), { objectMode: false }),
  };
}

async function* parts(
  { fields, file, finished }: IncomingForm,
  upstreamModel: string,
  boundary: string,
  pace: CallerPace,
): AsyncGenerator<Buffer> {
  const field = ({ name, value }: FormField) =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"\r\n\r\n${value}\r\n`,
    );
  yield field({ name: 'model', value: upstreamModel });
  let sent = 0;
  for (; sent < fields.length; sent++) {
    const known = fields[sent];
    if (known !== undefined && !OWN_FIELDS.has(known.name)) yield field(known);
  }
  yield Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escaped(file.filename)}"\r\nContent-Type: ${mediaType(file.mimeType)}\r\n\r\n`,
  );
  if (Buffer.isBuffer(file.content)) yield file.content;
  else yield* arriving(file.content, finished, pace);
  yield Buffer.from('\r\n');
  pace.pauseTimeout();
  await finished;
  pace.resumeTimeout();
  for (; sent < fields.length; sent++) {
    const late = fields[sent];
    if (late !== undefined && !OWN_FIELDS.has(late.name)) yield field(late);
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

/** Throws the error of the whole form, which blames the client, instead of that of the file. */
async function* arriving(
  content: Readable,
  finished: Promise<void>,
  pace: CallerPace,
): AsyncGenerator<Buffer> {
  try {
    pace.pauseTimeout();
    for await (const chunk of content) {
      pace.resumeTimeout();
      yield chunk;
      pace.pauseTimeout();
    }
    pace.resumeTimeout();
  } catch (cause) {
    await finished;
    throw cause;
  }
}

/** Escapes like browsers do (WHATWG HTML, "multipart/form-data"). */
function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');
}

function mediaType(mimeType: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : 'application/octet-stream';
}

import { formatIssues, GatewayError, transcriptionFields, transcriptionRequest } from '@model-gateway/shared';
import type { OutgoingForm } from '../capabilities/transcription/encode-form.ts';
import { type FormField, readForm } from '../http/read-form.ts';
import type { Exchange } from '../request-record.ts';
import { type ReadBodyContext, readJsonBody } from './read-json-body.ts';

export interface ReadTranscriptionContext extends ReadBodyContext {
  maxFormBytes: number;
}

export interface TranscriptionUpload extends OutgoingForm {
  model: string;
}

/**
 * Reads a transcription request: a form whose file may still be arriving, or the same as JSON with the file in base64.
 * @throws GatewayError 415, 413, 408, 400 or 503; ClientGone
 */
export async function readTranscription(
  context: ReadTranscriptionContext,
  exchange: Exchange,
): Promise<TranscriptionUpload> {
  const { headers } = exchange.req;
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (headers['content-encoding'] !== undefined) throw unsupported('Send the body without Content-Encoding.');
  if (mediaType === 'application/json') return fromJson(context, exchange);
  if (mediaType !== 'multipart/form-data') {
    throw unsupported('Send Content-Type: multipart/form-data, or application/json with the file in base64.');
  }
  const form = await readForm(exchange, {
    maxBytes: context.maxFormBytes,
    budget: context.bodyBudget,
    fileField: 'file',
    awaitedField: 'model',
    check,
  });
  const model = form.fields.find(({ name }) => name === 'model')?.value ?? '';
  return { ...form, model };
}

/** Also runs before the whole form is there: what is missing by then, but for the model, may still come. */
function check(fields: readonly FormField[]): void {
  const result = transcriptionFields.safeParse(
    Object.fromEntries(fields.map(({ name, value }) => [name, value])),
  );
  if (result.success) return;
  const [issue] = formatIssues(result.error);
  const path = issue?.path ?? '';
  throw new GatewayError('invalid_request', `${path}: ${issue?.message ?? 'is not valid'}.`, { param: path });
}

async function fromJson(context: ReadBodyContext, exchange: Exchange): Promise<TranscriptionUpload> {
  const { value } = await readJsonBody(exchange, transcriptionRequest, context);
  const { model, file, timestamp_granularities: granularities, ...others } = value;
  const fields: FormField[] = [];
  for (const [name, given] of Object.entries(others)) {
    if (name === 'notre' || given === null || given === undefined) continue;
    fields.push({ name, value: typeof given === 'object' ? JSON.stringify(given) : String(given) });
  }
  for (const granularity of granularities ?? []) {
    fields.push({ name: 'timestamp_granularities[]', value: granularity });
  }
  return {
    model,
    fields,
    file: {
      filename: file.filename,
      mimeType: file.mime_type ?? 'application/octet-stream',
      content: Buffer.from(file.data, 'base64'),
    },
    finished: Promise.resolve(),
    release: () => undefined,
  };
}

function unsupported(advice: string): GatewayError {
  return new GatewayError('unsupported_media_type', `The body's media type is not supported. ${advice}`);
}

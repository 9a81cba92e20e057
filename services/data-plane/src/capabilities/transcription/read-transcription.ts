import type { FormField, IncomingForm } from '@model-gateway/dialects';
import {
  type BodyLabels,
  labelsIn,
  TRANSCRIPTION_MEMBERS,
  transcriptionFields,
  transcriptionRequest,
} from '@model-gateway/shared';
import { unsupportedBody } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../../http/exchange.ts';
import { mediaTypeOf } from '../../http/form-parser.ts';
import { readForm } from '../../http/read-form.ts';
import { type ReadBodyContext, readJsonBody } from '../../http/read-json-body.ts';
import { parseFields, singleFields } from '../form-fields.ts';

export interface ReadTranscriptionContext extends ReadBodyContext {
  maxFormBytes: number;
}

export interface TranscriptionUpload extends IncomingForm {
  model: string;
  /** Read from the fields before the file. */
  labels: BodyLabels | undefined;
}

/**
 * Reads a transcription request: a form whose file may still be arriving, or JSON with the file in base64.
 * @param checkLarge see `readBody`
 * @throws GatewayError 415, 413, 408, 400 or 503; what `checkLarge` throws; ClientGone
 */
export async function readTranscription(
  context: ReadTranscriptionContext,
  exchange: AuthenticatedExchange,
  checkLarge: (arrived: readonly Buffer[]) => void,
): Promise<TranscriptionUpload> {
  const mediaType = mediaTypeOf(exchange);
  if (mediaType === 'application/json') return fromJson(context, exchange, checkLarge);
  if (mediaType !== 'multipart/form-data') {
    throw unsupportedBody(
      'Send Content-Type: multipart/form-data, or application/json with the file in base64.',
    );
  }
  const form = await readForm(exchange, {
    maxBytes: context.maxFormBytes,
    budget: context.bodyBudget,
    minimumRate: context.minimumRate,
    checkLarge,
    fileField: 'file',
    awaitedField: 'model',
    check: checkForm,
  });
  const model = form.fields.find(({ name }) => name === 'model')?.value ?? '';
  return { ...form, model, labels: labelsOf(form.fields) };
}

const GRANULARITIES = 'timestamp_granularities[]';

/** Also runs before the form is complete: only the model is required by then. */
function checkForm(fields: readonly FormField[]): void {
  const single = singleFields(fields, TRANSCRIPTION_MEMBERS);
  for (const { name, value } of fields)
    if (name === GRANULARITIES) parseFields(transcriptionFields, { model: '-', [name]: value });
  parseFields(transcriptionFields, single);
}

function labelsOf(fields: readonly FormField[]): BodyLabels | undefined {
  return labelsIn(Object.fromEntries(fields.map(({ name, value }) => [name, value])));
}

async function fromJson(
  context: ReadBodyContext,
  exchange: AuthenticatedExchange,
  checkLarge: (arrived: readonly Buffer[]) => void,
): Promise<TranscriptionUpload> {
  const { value } = await readJsonBody(exchange, transcriptionRequest, context, checkLarge);
  const { model, fields, file } = value;
  checkForm([{ name: 'model', value: model }, ...fields]);
  return {
    model,
    labels: labelsOf(fields),
    fields,
    file: {
      filename: file.filename,
      mimeType: file.mimeType ?? 'application/octet-stream',
      content: Buffer.from(file.data, 'base64'),
    },
    finished: Promise.resolve(),
    release: () => undefined,
  };
}

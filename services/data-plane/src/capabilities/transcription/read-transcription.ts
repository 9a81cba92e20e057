import type { FormField, IncomingForm } from '@model-gateway/dialects';
import {
  type BodyLabels,
  formatIssues,
  labelsIn,
  plainWords,
  TRANSCRIPTION_MEMBERS,
  transcriptionFields,
  transcriptionRequest,
} from '@model-gateway/shared';
import { invalidField, unsupportedBody } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../../http/exchange.ts';
import { readForm } from '../../http/read-form.ts';
import { type ReadBodyContext, readJsonBody } from '../../http/read-json-body.ts';
import { requirePlainNames } from '../../json/require-plain-names.ts';

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
  const { headers } = exchange.req;
  const mediaType = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (headers['content-encoding'] !== undefined)
    throw unsupportedBody('Send the body without Content-Encoding.');
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

/** Lists repeat one field name with this suffix: `known_speaker_names[]`. */
const LIST_SUFFIX = '[]';
const GRANULARITIES = 'timestamp_granularities[]';

/** Also runs before the form is complete: only the model is required by then. */
function checkForm(fields: readonly FormField[]): void {
  requirePlainNames(fields, TRANSCRIPTION_MEMBERS);
  const single: Record<string, string> = {};
  for (const { name, value } of fields) {
    if (name === GRANULARITIES) checkFields({ model: '-', [name]: value });
    else if (name.endsWith(LIST_SUFFIX)) continue;
    else if (Object.hasOwn(single, name)) throw invalidField(name, 'is there twice');
    else single[name] = value;
  }
  checkFields(single);
}

function checkFields(fields: Record<string, string>): void {
  const result = transcriptionFields.safeParse(fields, { error: plainWords });
  if (result.success) return;
  const [issue] = formatIssues(result.error);
  throw invalidField(issue?.path ?? '', issue?.message ?? 'is not valid');
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

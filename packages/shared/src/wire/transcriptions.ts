import { z } from 'zod';
import { CALLERS_NOTES } from './callers-notes.ts';
import { labelMembers, unlabelledNames } from './label-members.ts';
import { KnownMembers } from './member-spelling.ts';

/** The request of docs/endpoints.md, "POST /v1/audio/transcriptions". */

const temperature = z.number().min(0).max(1);
const responseFormat = z.enum(['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json']);
const granularity = z.enum(['word', 'segment']);

/** The fields of the form besides `file`, which all are texts. Other fields pass unchanged. */
export const transcriptionFields = z.looseObject({
  model: z.string().min(1),
  language: z.string().optional(),
  prompt: z.string().optional(),
  response_format: responseFormat.optional(),
  temperature: z.string().pipe(z.coerce.number<string>()).pipe(temperature).optional(),
  'timestamp_granularities[]': granularity.optional(),
  stream: z.enum(['true', 'false']).optional(),
  ...labelMembers,
});

/** The same limit as for a form. */
const MAX_FIELDS = 100;
const MAX_NAME_LENGTH = 100;
const MAX_VALUE_LENGTH = 1024 * 1024;

/** The same request as JSON, for clients that send nothing else: the file is in base64. */
const request = z.looseObject({
  model: z.string().min(1),
  file: z.looseObject({
    data: z.base64('expected base64').min(1, 'must not be empty'),
    filename: z.string().min(1).max(255),
    mime_type: z.string().max(255).optional(),
  }),
  language: z.string().nullish(),
  prompt: z.string().nullish(),
  response_format: responseFormat.nullish(),
  temperature: temperature.nullish(),
  timestamp_granularities: z.array(granularity).max(2).nullish(),
  stream: z.boolean().nullish(),
});

/** Checks the request, and turns it into what a form would contain. */
export const transcriptionRequest = request.transform((value, { issues }) => {
  const { model, file, ...others } = value;
  const fields: { name: string; value: string }[] = [];
  for (const [name, given] of Object.entries(others)) {
    if (name === CALLERS_NOTES || given === null || given === undefined) continue;
    // In a form, each entry of a list is a field of its own: `known_speaker_names[]`.
    const entries: readonly unknown[] = Array.isArray(given) ? given : [given];
    if (fields.length + entries.length > MAX_FIELDS) {
      const message = `may have at most ${MAX_FIELDS} fields`;
      issues.push({ code: 'custom', path: [], input: undefined, message });
      return z.NEVER;
    }
    for (const entry of entries) {
      const text = typeof entry === 'object' ? JSON.stringify(entry) : String(entry);
      if (name.length > MAX_NAME_LENGTH || text.length > MAX_VALUE_LENGTH) {
        const path = [name.slice(0, MAX_NAME_LENGTH)];
        issues.push({ code: 'custom', path, input: undefined, message: 'is too long' });
        return z.NEVER;
      }
      fields.push({ name: Array.isArray(given) ? `${name}[]` : name, value: text });
    }
  }
  const { data, filename, mime_type: mimeType } = file;
  return { model, fields, file: { data, filename, mimeType } };
});
export type TranscriptionRequest = z.infer<typeof transcriptionRequest>;

/** The members that the gateway needs, in the form and in the JSON. */
export const TRANSCRIPTION_MEMBERS = new KnownMembers([
  ...unlabelledNames(transcriptionFields.shape),
  ...Object.keys(request.shape),
  CALLERS_NOTES,
]);

/** A provider's own measure of the audio. An absurd value fails the parse, and is ignored. */
export const transcriptionUsage = z.looseObject({ seconds: z.number().min(0).max(1_000_000) });

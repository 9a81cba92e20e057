import { z } from 'zod';
import { CALLERS_NOTES } from './callers-notes.ts';
import { labelMembers, labelsIn, unlabelledNames } from './label-members.ts';
import { KnownMembers } from './member-spelling.ts';

/** The request of docs/endpoints.md, "POST /v1/audio/speech". */

const MAX_CHARACTERS = 4_096;

const request = z.looseObject({
  model: z.string().min(1),
  input: z
    .string()
    .min(1, 'must not be empty')
    .refine((text) => characters(text) <= MAX_CHARACTERS, `may have at most ${MAX_CHARACTERS} characters`),
  voice: z.union(
    [z.string().min(1), z.looseObject({ id: z.string().min(1) })],
    'expected the name of a voice, or an object with its id',
  ),
  response_format: z.enum(['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']).nullish(),
  speed: z.number().min(0.25).max(4).nullish(),
  instructions: z
    .string()
    .refine((text) => characters(text) <= MAX_CHARACTERS, `may have at most ${MAX_CHARACTERS} characters`)
    .nullish(),
  stream_format: z.enum(['audio', 'sse']).nullish(),
  ...labelMembers,
});

/** Checks the request, and extracts what the gateway itself needs. */
export const speechRequest = request.transform(
  ({ model, input, response_format: format, stream_format, ...others }) => ({
    model,
    streamed: stream_format === 'sse',
    labels: labelsIn(others),
    characters: characters(input),
    format: format ?? 'mp3',
  }),
);
/** The members that the gateway needs, or that have a price. */
export const SPEECH_MEMBERS = new KnownMembers([...unlabelledNames(request.shape), CALLERS_NOTES]);
export type SpeechRequest = z.infer<typeof speechRequest>;

export const SPEECH_CONTENT_TYPES: Record<SpeechRequest['format'], string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** Counts characters as people do (code points), not UTF-16 units. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

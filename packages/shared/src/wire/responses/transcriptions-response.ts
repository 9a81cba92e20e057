import { z } from 'zod';

/** The responses of POST /v1/audio/transcriptions, in OpenAI's form for each format. */

const usage = z.looseObject({ type: z.enum(['duration', 'tokens']).optional() });
const span = { start: z.number().describe('Seconds.'), end: z.number().describe('Seconds.') };

/** `response_format: "json"` */
export const transcription = z.looseObject({ text: z.string(), usage: usage.nullish() });
export type Transcription = z.infer<typeof transcription>;

/** `response_format: "verbose_json"` */
export const verboseTranscription = transcription.extend({
  language: z.string(),
  duration: z.number().min(0).describe('Seconds.'),
  segments: z.array(z.looseObject({ id: z.int(), text: z.string(), ...span })).optional(),
  words: z.array(z.looseObject({ word: z.string(), ...span })).optional(),
});
export type VerboseTranscription = z.infer<typeof verboseTranscription>;

/** `response_format: "diarized_json"` */
export const diarizedTranscription = transcription.extend({
  task: z.literal('transcribe'),
  duration: z.number().min(0).describe('Seconds.'),
  segments: z.array(
    z.looseObject({
      type: z.literal('transcript.text.segment'),
      id: z.string(),
      speaker: z.string(),
      text: z.string(),
      ...span,
    }),
  ),
});
export type DiarizedTranscription = z.infer<typeof diarizedTranscription>;

export const transcriptionEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('transcript.text.delta'), delta: z.string() }),
  z.looseObject({ type: z.literal('transcript.text.segment'), text: z.string() }),
  z.looseObject({ type: z.literal('transcript.text.done'), text: z.string(), usage: usage.nullish() }),
]);
export type TranscriptionEvent = z.infer<typeof transcriptionEvent>;

import { z } from 'zod';

/** One event of POST /v1/audio/speech with `stream_format: "sse"`, in OpenAI's form. */
export const speechEvent = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('speech.audio.delta'), audio: z.string().describe('Base64.') }),
  z.looseObject({
    type: z.literal('speech.audio.done'),
    usage: z
      .looseObject({
        input_tokens: z.int().min(0),
        output_tokens: z.int().min(0),
        total_tokens: z.int().min(0),
      })
      .nullish(),
  }),
]);
export type SpeechEvent = z.infer<typeof speechEvent>;

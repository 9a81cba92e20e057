import { z } from 'zod';

/** The responses of POST /v1/images/generations and POST /v1/images/edits, in OpenAI's form. */

const usage = z.looseObject({
  input_tokens: z.int().min(0).optional(),
  output_tokens: z.int().min(0).optional(),
  total_tokens: z.int().min(0).optional(),
});

export const imageList = z.looseObject({
  created: z.int().describe('Unix seconds.'),
  data: z
    .array(
      z.looseObject({
        url: z.string().optional(),
        b64_json: z.string().optional(),
        revised_prompt: z.string().nullish(),
      }),
    )
    .min(1),
  usage: usage.nullish(),
});
export type ImageList = z.infer<typeof imageList>;

export const imageEvent = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.enum(['image_generation.partial_image', 'image_edit.partial_image']),
    b64_json: z.string(),
    partial_image_index: z.int().min(0),
  }),
  z.looseObject({
    type: z.enum(['image_generation.completed', 'image_edit.completed']),
    b64_json: z.string(),
    usage: usage.nullish(),
  }),
]);
export type ImageEvent = z.infer<typeof imageEvent>;

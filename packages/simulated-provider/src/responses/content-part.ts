import { z } from 'zod';

/**
 * The parts of messages and of what tools return, as https://platform.openai.com/docs/api-reference/responses
 * describes them. Members that it does not name are refused.
 */

const breakpoint = {
  prompt_cache_breakpoint: z
    .strictObject({ mode: z.literal('explicit'), ttl: z.enum(['30m', '12h']).nullish() })
    .nullish(),
};

const inputText = z.strictObject({ type: z.literal('input_text'), text: z.string(), ...breakpoint });
const inputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: z
    .string()
    .regex(/^(https?:\/\/|data:image\/)/)
    .nullish(),
  file_id: z.string().nullish(),
  detail: z.enum(['low', 'high', 'auto', 'original']).nullish(),
  ...breakpoint,
});
const inputFile = z.strictObject({
  type: z.literal('input_file'),
  file_data: z.string().nullish(),
  file_id: z.string().nullish(),
  file_url: z.string().nullish(),
  filename: z.string().nullish(),
  detail: z.enum(['auto', 'low', 'high']).nullish(),
  ...breakpoint,
});

const outputText = z.strictObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.looseObject({ type: z.string() })).nullish(),
  logprobs: z.array(z.looseObject({})).nullish(),
});
const refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() });

export const inputParts = z.array(z.discriminatedUnion('type', [inputText, inputImage, inputFile]));
export const outputParts = z.array(z.discriminatedUnion('type', [outputText, refusal]));

export type ContentPart = z.infer<typeof inputParts>[number] | z.infer<typeof outputParts>[number];

import { z } from 'zod';
import { anyObject, oneOf, typed } from '../schemas/members.ts';

/**
 * The parts of messages and of tool results, https://platform.openai.com/docs/api-reference/responses.
 * Unknown members are refused.
 */

const text = z.string().nullish();
const breakpoint = z.strictObject({ mode: z.literal('explicit'), ttl: oneOf('30m 12h').nullish() });
const shared = { prompt_cache_breakpoint: breakpoint.nullish() };

const inputText = typed('input_text', { text: z.string(), ...shared });
const inputImage = typed('input_image', {
  image_url: z
    .string()
    .regex(/^(https?:\/\/|data:image\/)/)
    .nullish(),
  file_id: text,
  detail: oneOf('low high auto original').nullish(),
  ...shared,
});
const inputFile = typed('input_file', {
  file_data: text,
  file_id: text,
  file_url: text,
  filename: text,
  detail: oneOf('auto low high').nullish(),
  ...shared,
});

const outputText = typed('output_text', {
  text: z.string(),
  annotations: z.array(z.looseObject({ type: z.string() })).nullish(),
  logprobs: z.array(anyObject).nullish(),
});
const refusal = typed('refusal', { refusal: z.string() });

export const inputParts = z.array(z.discriminatedUnion('type', [inputText, inputImage, inputFile]));
export const outputParts = z.array(z.discriminatedUnion('type', [outputText, refusal]));

export type ContentPart = z.infer<typeof inputParts>[number] | z.infer<typeof outputParts>[number];

import { z } from 'zod';
import type { Answer } from '../answers/answer.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { count } from '../schemas/members.ts';
import { draw } from './images.ts';

/** Tokens of a square picture at gpt-image-1.5: without high fidelity, and what that adds. */
const TOKENS_PER_PICTURE = 194;
const HIGH_FIDELITY_TOKENS = 4_160;

const picture = z.instanceof(File, { error: 'expected a file' });
const number = z.string().transform(Number);

const editFields = z.looseObject({
  model: z.string(),
  prompt: z.string().min(1, 'expected a prompt that is not empty'),
  mask: picture.optional(),
  n: number.pipe(count(1, 10)).optional(),
  size: z.string().optional(),
  quality: z.string().optional(),
  background: z.string().optional(),
  input_fidelity: z.enum(['high', 'low']).default('low'),
  response_format: z.enum(['url', 'b64_json']).optional(),
  stream: z
    .enum(['true', 'false'])
    .transform((stream) => stream === 'true')
    .optional(),
  partial_images: number.pipe(count(0, 3)).optional(),
});

/** POST /v1/images/edits, as multipart/form-data. It draws as for a generation. */
export function imageEdits(exchange: ProviderExchange): Answer {
  const { form } = exchange;
  if (form === undefined) throw new ProviderError(400, 'Expected a body of type multipart/form-data.');
  const pictures = z
    .array(picture)
    .min(1)
    .max(16)
    .safeParse([...form.getAll('image'), ...form.getAll('image[]')]);
  if (!pictures.success)
    throw new ProviderError(400, "Invalid value for 'image': expected one to 16 files.", { param: 'image' });
  const request = parseFields(editFields, Object.fromEntries(form));
  const each = TOKENS_PER_PICTURE + (request.input_fidelity === 'high' ? HIGH_FIDELITY_TOKENS : 0);
  const count = pictures.data.length + (request.mask === undefined ? 0 : 1);
  return draw(exchange, request, { name: 'image_edit', tokens: count * each });
}

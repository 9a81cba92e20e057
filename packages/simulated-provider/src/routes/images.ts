import { z } from 'zod';
import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { type SseEvent, typedEvent } from '../answers/sse-event.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { spoilUsage } from '../faults/spoil-usage.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { drawImage } from '../images/draw-image.ts';
import { requireModel } from '../models.ts';
import { count } from '../schemas/members.ts';
import { countTokens } from '../text/tokenizer.ts';

/** Tokens of one 1024×1024 image of medium quality by gpt-image-1. */
const TOKENS_PER_IMAGE = 1_056;

const imagesRequest = z.looseObject({
  model: z.string(),
  prompt: z.string().min(1, 'expected a prompt that is not empty'),
  n: count(1, 10).nullish(),
  size: z.string().nullish(),
  quality: z.string().nullish(),
  background: z.string().nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  stream: z.boolean().nullish(),
  partial_images: count(0, 3).nullish(),
});

/** Members that edits and generations share. */
export type ImagesRequest = z.infer<typeof imagesRequest>;

/** POST /v1/images/generations. Images are small PNGs. A `url` is a data: URL, so nothing is stored. */
export function images(exchange: ProviderExchange): Answer {
  return draw(exchange, parseFields(imagesRequest, exchange.json), { name: 'image_generation', tokens: 0 });
}

/** Draws new images, whatever pictures came. @param pictures their tokens, and how events are named */
export function draw(
  { credential, fault, meter }: ProviderExchange,
  request: ImagesRequest,
  pictures: { name: string; tokens: number },
): Answer {
  requireModel(request.model, 'images');
  meter({ model: request.model, units: { images: request.n ?? 1 } });
  const usage = spoilUsage(usageOf(request, pictures.tokens), fault);
  if (request.stream === true) return eventsAnswer(streamImages(request, pictures.name, usage));
  const drawn = Array.from({ length: request.n ?? 1 }, (_, index) => drawImage(request.prompt, index));
  const prompt = fault.echo_credential ? `${request.prompt} (${credential})` : request.prompt;
  return jsonAnswer({
    created: Math.floor(Date.now() / 1000),
    data: drawn.map((picture) => ({ ...imageFields(picture, request), revised_prompt: prompt })),
    usage,
  });
}

function imageFields(picture: Buffer, { response_format: format }: ImagesRequest): object {
  const base64 = picture.toString('base64');
  return format === 'b64_json' ? { b64_json: base64 } : { url: `data:image/png;base64,${base64}` };
}

function usageOf({ n, prompt }: ImagesRequest, pictureTokens: number): object {
  const text = countTokens(prompt);
  const input = text + pictureTokens;
  const output = TOKENS_PER_IMAGE * (n ?? 1);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: { text_tokens: text, image_tokens: pictureTokens },
  };
}

/** Streams as OpenAI does: a typed event per partial image, one for the complete image, and no [DONE]. */
function* streamImages(request: ImagesRequest, name: string, usage: object | undefined): Generator<SseEvent> {
  const shared = {
    created_at: Math.floor(Date.now() / 1000),
    size: request.size ?? '1024x1024',
    quality: request.quality ?? 'medium',
    background: request.background ?? 'opaque',
    output_format: 'png',
    b64_json: drawImage(request.prompt, 0).toString('base64'),
  };
  for (let index = 0; index < (request.partial_images ?? 0); index++) {
    const partial = { ...shared, partial_image_index: index };
    yield typedEvent(`${name}.partial_image`, partial, 'token');
  }
  yield typedEvent(`${name}.completed`, { ...shared, usage }, 'token');
}

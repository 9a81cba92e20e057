import { z } from 'zod';
import { CALLERS_NOTES } from './callers-notes.ts';
import { KnownMembers } from './member-spelling.ts';

/** The request of docs/wire-format.md, "POST /v1/images/generations". */

const request = z.looseObject({
  model: z.string().min(1),
  prompt: z.string().min(1, 'must not be empty'),
  n: z.int().min(1).max(10).nullish(),
  size: z.string().nullish(),
  quality: z.string().nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  output_format: z.string().nullish(),
  background: z.string().nullish(),
  user: z.string().nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
});

/** Checks the request, and keeps of it what the gateway itself needs to know. */
export const imagesRequest = request.transform(({ model, n, partial_images: partials, stream }) => ({
  model,
  streamed: stream === true,
  count: n ?? 1,
  /** How many unfinished pictures of each image are sent while it is drawn. */
  partials: stream === true ? (partials ?? 0) : 0,
}));
/** What the gateway relies on, or what has a price. */
export const IMAGES_MEMBERS = new KnownMembers([...Object.keys(request.shape), CALLERS_NOTES]);
export type ImagesRequest = z.infer<typeof imagesRequest>;

/** A provider's answer: what the gateway relies on. */
export const imagesAnswer = z.looseObject({ data: z.array(z.looseObject({})).min(1) });

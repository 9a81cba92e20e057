import { z } from 'zod';
import { CALLERS_NOTES } from './callers-notes.ts';
import { labelMembers, labelsIn, unlabelledNames } from './label-members.ts';
import { KnownMembers } from './member-spelling.ts';

/** The request of docs/endpoints.md, "POST /v1/images/generations". */

const request = z.looseObject({
  model: z.string().min(1),
  prompt: z.string().min(1, 'must not be empty'),
  n: z.int().min(1).max(10).nullish(),
  size: z.string().nullish(),
  quality: z.string().nullish(),
  response_format: z.enum(['url', 'b64_json']).nullish(),
  output_format: z.string().nullish(),
  background: z.string().nullish(),
  stream: z.boolean().nullish(),
  partial_images: z.int().min(0).max(3).nullish(),
  ...labelMembers,
});

/** Checks the request, and extracts what the gateway itself needs. */
export const imagesRequest = request.transform(
  ({ model, n, partial_images: partials, stream, ...others }) => ({
    model,
    streamed: stream === true,
    labels: labelsIn(others),
    count: n ?? 1,
    /** How many unfinished pictures are sent for each image while it is being made. */
    partials: stream === true ? (partials ?? 0) : 0,
  }),
);
/** The members that the gateway needs, or that have a price. */
export const IMAGES_MEMBERS = new KnownMembers([...unlabelledNames(request.shape), CALLERS_NOTES]);
export type ImagesRequest = z.infer<typeof imagesRequest>;

/** The members of a provider's answer that the gateway needs. */
export const imagesAnswer = z.looseObject({ data: z.array(z.looseObject({})).min(1) });

import { z } from 'zod';
import { CALLERS_NOTES } from './callers-notes.ts';
import type { ImagesRequest } from './images.ts';
import { labelMembers, labelsIn, unlabelledNames } from './label-members.ts';
import { KnownMembers } from './member-spelling.ts';

/** The request of docs/endpoints.md, "POST /v1/images/edits". */

export const MAX_EDITED_IMAGES = 16;
/** The fields of the images; the second name is for a list. */
export const EDITED_IMAGE_FIELDS: readonly string[] = ['image', 'image[]'];
/** Pictures that guide an edit. There is at most one in each of these fields. */
export const GUIDE_IMAGE_FIELDS: readonly string[] = ['mask', 'markup'];

/** The fields of the form besides its images, which all are texts. Other fields pass unchanged. */
export const imageEditFields = z.looseObject({
  model: z.string().min(1),
  prompt: z.string().min(1, 'must not be empty'),
  n: z
    .string()
    .regex(/^([1-9]|10)$/, 'must be a whole number from 1 to 10')
    .optional(),
  size: z.string().optional(),
  quality: z.string().optional(),
  background: z.string().optional(),
  input_fidelity: z.string().optional(),
  output_format: z.string().optional(),
  response_format: z.enum(['url', 'b64_json']).optional(),
  stream: z.enum(['true', 'false']).optional(),
  partial_images: z
    .string()
    .regex(/^[0-3]$/, 'must be a whole number from 0 to 3')
    .optional(),
  ...labelMembers,
});

/** Checks the fields, and extracts what the gateway itself needs. */
export const imageEditRequest = imageEditFields.transform(
  ({ model, n = 1, partial_images: partials = 0, stream, ...others }): ImagesRequest => ({
    model,
    streamed: stream === 'true',
    labels: labelsIn(others),
    count: Number(n),
    partials: stream === 'true' ? Number(partials) : 0,
  }),
);
/** The fields that the gateway needs, or that have a price. */
export const IMAGE_EDIT_MEMBERS = new KnownMembers([
  ...unlabelledNames(imageEditFields.shape),
  ...EDITED_IMAGE_FIELDS,
  ...GUIDE_IMAGE_FIELDS,
  CALLERS_NOTES,
]);

import { z } from 'zod';
import { CALLERS_NOTES } from './callers-notes.ts';
import { labelMembers, labelsIn, unlabelledNames } from './label-members.ts';
import { MediaCount } from './media-parts.ts';
import { KnownMembers } from './member-spelling.ts';

/** The request of docs/endpoints.md, "POST /v1/moderations". */

/** The model of a request without one, as at OpenAI: a model of the catalog needs this alias. */
const DEFAULT_MODEL = 'omni-moderation-latest';
const MAX_INPUTS = 2_048;

const part = z.union(
  [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: z.string().min(1) }) }),
  ],
  'expected {"type":"text","text":…} or {"type":"image_url","image_url":{"url":…}}',
);

const request = z.looseObject({
  model: z
    .string()
    .min(1)
    .nullish()
    .describe(`Default: \`${DEFAULT_MODEL}\`, if a model of the catalog has that alias.`),
  input: z.union(
    [z.string(), z.array(z.string()).min(1).max(MAX_INPUTS), z.array(part).min(1).max(MAX_INPUTS)],
    'expected a text, a list of texts, or a list of parts of the types "text" and "image_url"',
  ),
  ...labelMembers,
});

/** Checks the request, and extracts what the gateway itself needs. */
export const moderationsRequest = request.transform(({ input, model, ...others }) => ({
  model: model ?? DEFAULT_MODEL,
  streamed: false,
  labels: labelsIn(others),
  ...mediaIn(input),
}));
/** The members that the gateway needs, or that have a price. */
export const MODERATIONS_MEMBERS = new KnownMembers([...unlabelledNames(request.shape), CALLERS_NOTES]);
export type ModerationsRequest = z.infer<typeof moderationsRequest>;

/** The members of a provider's answer that the gateway needs. */
export const moderationsAnswer = z.looseObject({ results: z.array(z.looseObject({})).min(1) });

function mediaIn(input: z.infer<typeof request>['input']) {
  const media = new MediaCount();
  for (const entry of typeof input === 'string' ? [] : input)
    if (typeof entry !== 'string' && entry.type === 'image_url') media.addImage(entry.image_url.url);
  return media.result();
}

import { z } from 'zod';
import { readServiceTier } from '../billing/service-tier.ts';
import { CALLERS_NOTES } from './callers-notes.ts';
import { labelMembers, labelsIn, unlabelledNames } from './label-members.ts';
import { NO_MEDIA } from './media-parts.ts';
import { KnownMembers } from './member-spelling.ts';
import { PRICED_BY_RULE, unpricedOfCompletion } from './unpriced.ts';

/** The request of docs/endpoints.md, "POST /v1/completions". */

const MAX_PROMPTS = 2_048;
const MAX_CHOICES = 128;
const EXPECTED = `expected a text, a list of token numbers, or a list of up to ${MAX_PROMPTS} of either`;

/** A function checks this, because a schema for each of a million token numbers would take seconds. */
const prompt = z.custom<Prompt>(isPrompt, EXPECTED).describe(EXPECTED);
type Prompt = string | string[] | number[] | number[][];

const request = z.looseObject({
  model: z.string().min(1),
  prompt,
  suffix: z.string().nullish(),
  max_tokens: z.int().min(0).nullish(),
  n: z.int().min(1).max(MAX_CHOICES).nullish(),
  best_of: z.int().min(1).max(MAX_CHOICES).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  ...labelMembers,
});

/** Checks the request, and extracts what the gateway itself needs. */
export const completionsRequest = request.transform((value) => {
  const { best_of: bestOf, n, prompt, stream_options: options } = value;
  const prompts = promptsIn(prompt);
  return {
    model: value.model,
    streamed: value.stream === true,
    includeUsage: options?.include_usage === true,
    /** The provider's `stream_options` as text, which always request usage. */
    streamOptionsJson:
      value.stream === true ? JSON.stringify({ ...options, include_usage: true }) : undefined,
    maxOutputTokens: value.max_tokens ?? undefined,
    /** The completions that the provider generates for all prompts. It returns `returnedChoices` of them. */
    choices: prompts * Math.max(n ?? 1, bestOf ?? 1),
    returnedChoices: prompts * (n ?? 1),
    ...NO_MEDIA,
    predictionBytes: 0,
    serviceTier: readServiceTier(value.service_tier),
    unpriced: unpricedOfCompletion(value),
    labels: labelsIn(value),
  };
});
/** The members that the gateway needs, or that have a price. */
export const COMPLETIONS_MEMBERS = new KnownMembers([
  ...unlabelledNames(request.shape),
  ...PRICED_BY_RULE,
  CALLERS_NOTES,
]);
export type CompletionsRequest = z.infer<typeof completionsRequest>;

function promptsIn(prompt: Prompt): number {
  return typeof prompt === 'string' || typeof prompt[0] === 'number' ? 1 : prompt.length;
}

/** An empty text is a prompt: the model then begins a document. */
function isPrompt(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (!Array.isArray(value) || value.length === 0) return false;
  if (typeof value[0] === 'number') return value.every(isToken);
  if (value.length > MAX_PROMPTS) return false;
  if (typeof value[0] === 'string') return value.every((entry) => typeof entry === 'string');
  return value.every((entry) => Array.isArray(entry) && entry.length > 0 && entry.every(isToken));
}

function isToken(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

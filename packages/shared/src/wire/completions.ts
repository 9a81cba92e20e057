import { z } from 'zod';
import { readServiceTier } from '../billing/service-tier.ts';
import { CALLERS_NOTES } from './callers-notes.ts';
import { labelMembers, labelsIn, unlabelledNames } from './label-members.ts';
import { largest } from './largest.ts';
import { NO_MEDIA } from './media-parts.ts';
import { KnownMembers } from './member-spelling.ts';
import { modelsNamed, requestedModels, requireModel } from './requested-models.ts';
import { streamIn, streamMembers } from './stream-options.ts';
import { PRICED_BY_RULE, unpricedOfCompletion } from './unpriced.ts';

/** The request of docs/endpoints.md, "POST /v1/completions". */

const MAX_PROMPTS = 2_048;
const MAX_CHOICES = 128;
/** Characters at the start of a prompt that tell its echo. */
const ECHO_START = 64;
const EXPECTED = `expected a text, a list of token numbers, or a list of up to ${MAX_PROMPTS} of either`;

/** A function checks this, because a schema for each of a million token numbers would take seconds. */
const prompt = z.custom<Prompt>(isPrompt, EXPECTED).describe(EXPECTED);
type Prompt = string | string[] | number[] | number[][] | null;

const tokenCount = z.int().min(0).nullish();

const request = z
  .looseObject({
    ...requestedModels,
    prompt,
    suffix: z.string().nullish(),
    max_tokens: tokenCount,
    max_completion_tokens: tokenCount,
    n: z.int().min(1).max(MAX_CHOICES).nullish(),
    best_of: z.int().min(1).max(MAX_CHOICES).nullish(),
    echo: z.boolean().nullish(),
    ...streamMembers,
    ...labelMembers,
  })
  .check(requireModel);

/** Checks the request, and extracts what the gateway itself needs. */
export const completionsRequest = request.transform((value) => {
  const { best_of: bestOf, echo, prompt } = value;
  const n = value.n ?? 1;
  const prompts = promptsIn(prompt);
  return {
    ...modelsNamed(value),
    ...streamIn(value),
    /** Some servers take the limit by the name that it has for chats. */
    maxOutputTokens: largest(value.max_completion_tokens, value.max_tokens),
    /** The completions that the provider generates for all prompts. It returns `returnedChoices` of them. */
    choices: prompts.length * Math.max(n, bestOf ?? 1),
    returnedChoices: prompts.length * n,
    echoed: echo === true ? { prompts: prompts.map(echoedPrompt), choicesPerPrompt: n } : undefined,
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

/** The prompts that a response repeats in its texts, if its provider does that. */
export interface EchoedPrompts {
  /** `start` is the first 64 characters. Of tokens, no text is known: 0 bytes, and an empty start. */
  prompts: readonly { bytes: number; start: string }[];
  /** The choices of the first prompt come first. */
  choicesPerPrompt: number;
}

function promptsIn(prompt: Prompt): readonly (string | number[])[] {
  if (typeof prompt === 'string') return [prompt];
  if (prompt === null) return [''];
  return isTokens(prompt) ? [prompt] : prompt;
}

function isTokens(prompt: readonly unknown[]): prompt is number[] {
  return typeof prompt[0] === 'number';
}

/** Treats an echo of tokens as output: their text is not known. */
function echoedPrompt(prompt: string | readonly number[]) {
  if (typeof prompt !== 'string') return { bytes: 0, start: '' };
  // A copy, because a slice would keep the whole prompt in memory.
  const start = Buffer.from(prompt.slice(0, ECHO_START), 'utf16le').toString('utf16le');
  return { bytes: Buffer.byteLength(prompt), start };
}

/** Without a text, the model begins a document. */
function isPrompt(value: unknown): boolean {
  if (typeof value === 'string' || value === null) return true;
  if (!Array.isArray(value) || value.length === 0) return false;
  if (typeof value[0] === 'number') return value.every(isToken);
  if (value.length > MAX_PROMPTS) return false;
  if (typeof value[0] === 'string') return value.every((entry) => typeof entry === 'string');
  return value.every((entry) => Array.isArray(entry) && entry.length > 0 && entry.every(isToken));
}

function isToken(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

import { z } from 'zod';
import { CALLERS_NOTES } from './callers-notes.ts';
import { labelMembers, labelsIn, unlabelledNames } from './label-members.ts';
import { KnownMembers } from './member-spelling.ts';

/** The request of docs/endpoints.md, "POST /v1/embeddings". */

const MAX_INPUTS = 2_048;
const EXPECTED = `expected a text, a list of token numbers, or a list of up to ${MAX_INPUTS} of either; none empty`;

/**
 * A function checks this, because a list of token numbers may have millions of entries, and a schema for each
 * would take seconds.
 */
const input = z.custom<string | string[] | number[] | number[][]>(isInput, EXPECTED).describe(EXPECTED);

const request = z.looseObject({
  model: z.string().min(1),
  input,
  encoding_format: z.enum(['float', 'base64']).nullish(),
  dimensions: z.int().min(1).nullish(),
  ...labelMembers,
});

/** Checks the request, and extracts what the gateway itself needs. */
export const embeddingsRequest = request.transform(({ model, encoding_format, input, ...others }) => ({
  model,
  streamed: false,
  labels: labelsIn(others),
  entries: entriesOf(input),
  /** True: send vectors as base64 of 32-bit floats. */
  isBase64: encoding_format === 'base64',
}));
/** The members that the gateway needs, or that have a price. */
export const EMBEDDINGS_MEMBERS = new KnownMembers([...unlabelledNames(request.shape), CALLERS_NOTES]);
export type EmbeddingsRequest = z.infer<typeof embeddingsRequest>;

/** Returns how many texts the input has. A list of numbers is one text, given as tokens. */
function entriesOf(input: string | readonly unknown[]): number {
  return typeof input === 'string' || typeof input[0] === 'number' ? 1 : input.length;
}

function isInput(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_INPUTS) return false;
  const [first] = value;
  if (typeof first === 'string') return value.every((entry) => typeof entry === 'string' && entry !== '');
  if (typeof first === 'number') return value.every(isToken);
  return value.every((entry) => Array.isArray(entry) && entry.length > 0 && entry.every(isToken));
}

function isToken(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

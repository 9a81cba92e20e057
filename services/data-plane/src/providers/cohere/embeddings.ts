import type { EmbeddingsRequest } from '@model-gateway/shared';
import { notExpressible } from '@model-gateway/shared/errors';
import type { JsonBody } from '../../json/json-body.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { textAt, textsAt } from '../../translation/field-values.ts';
import type { JsonObject } from '../../translation/json-object.ts';
import type { EmbeddingsEndpoint } from '../dialect.ts';
import { openAiEmbeddings } from './answer/embeddings-answer.ts';
import { askedInJson } from './request/asked-json.ts';
import { EMBED_FIELDS } from './request/embed-fields.ts';

/** Source: https://docs.cohere.com/reference/embed, `texts`. */
const MAX_TEXTS = 96;

/** Cohere wants to know what each vector is for; most are made for texts that are searched later. */
const DEFAULT_INPUT_TYPE = 'search_document';
const INPUT_TYPES: ReadonlySet<string> = new Set([
  DEFAULT_INPUT_TYPE,
  'search_query',
  'classification',
  'clustering',
]);

/** POST /v2/embed, as OpenAI's embeddings are asked for. */
export const embeddings: EmbeddingsEndpoint = {
  ask: ({ body }, upstreamModel) => {
    requireTexts(body);
    return askedInJson({ path: '/v2/embed', rules: EMBED_FIELDS, upstreamModel }, body, embedRequest);
  },
  answered: openAiEmbeddings,
};

/** Enough to see what a list begins with; white space beyond that is parsed like texts. */
const READ_BYTES = 1_000;

/** Before the body is parsed once more: numbers take far longer than texts. */
function requireTexts({ chunks, members, value: { entries, model } }: JsonBody<EmbeddingsRequest>): void {
  if (entries > MAX_TEXTS) throw notExpressible(model, 'input', `takes at most ${MAX_TEXTS} texts at once`);
  const input = members.findLast(({ name }) => name === 'input');
  const start = input?.valueStart ?? 0;
  const beginning = Buffer.concat(chunks).toString('latin1', start, start + READ_BYTES);
  if (/^\[\s*[[\d]/.test(beginning)) {
    throw notExpressible(model, 'input', 'takes texts, and no numbers of tokens');
  }
}

function embedRequest(
  { dimensions, input, input_type, truncate }: JsonObject,
  reader: FieldReader,
): JsonObject {
  const type = input_type === undefined ? DEFAULT_INPUT_TYPE : textAt(input_type, 'input_type');
  if (!INPUT_TYPES.has(type)) throw reader.refusal('input_type', 'takes no such type of texts');
  return {
    texts: typeof input === 'string' ? [input] : textsAt(input, 'input'),
    input_type: type,
    embedding_types: ['float'],
    truncate: truncate ?? 'NONE',
    ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
  };
}

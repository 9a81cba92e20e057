import type { JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { listAt, textAt } from '../../translation/field-values.ts';
import type { TranslatedRequest, Translation } from '../../translation/translation.ts';
import { COHERE_EMBED_FIELDS } from './cohere-embed-fields.ts';

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

export const EMBEDDINGS_TO_COHERE: Translation = {
  name: 'cohere embed from embeddings',
  apply: (request, { id }) => convertEmbeddingsToCohere(request, id),
};

/**
 * A request for embeddings as Cohere's models take it.
 * @throws GatewayError 400 that names what they cannot be asked for
 */
export function convertEmbeddingsToCohere(request: JsonObject, modelId: string): TranslatedRequest {
  const reader = new FieldReader(modelId, COHERE_EMBED_FIELDS);
  const { dimensions, input, input_type, truncate } = reader.members(request, '');
  const type = input_type === undefined ? DEFAULT_INPUT_TYPE : textAt(input_type, 'input_type');
  if (!INPUT_TYPES.has(type)) throw reader.refusal('input_type', 'takes no such type of texts');
  return {
    request: {
      texts: textsIn(input, reader),
      input_type: type,
      embedding_types: ['float'],
      truncate: truncate ?? 'NONE',
      ...(dimensions === undefined ? {} : { output_dimension: dimensions }),
    },
    ignored: reader.ignored,
  };
}

function textsIn(input: unknown, reader: FieldReader): string[] {
  if (typeof input === 'string') return [input];
  const texts = listAt(input, 'input');
  if (texts.length > MAX_TEXTS) throw reader.refusal('input', `takes at most ${MAX_TEXTS} texts at once`);
  return texts.map((text) => {
    if (typeof text === 'string') return text;
    throw reader.refusal('input', 'takes texts, and no numbers of tokens');
  });
}

import type { JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { carried, type FieldRules, ignored } from '../../translation/field-rules.ts';
import { listAt, textAt } from '../../translation/field-values.ts';
import type { TranslatedRequest, Translation } from '../../translation/translation.ts';

/** Rules for each field of POST /v1/embeddings in POST /v2/embed. */
export const COHERE_EMBED_FIELDS: FieldRules = {
  model: carried("`model`, the provider's name of it"),
  input: carried('`texts`; refused as numbers of tokens, and beyond 96 texts'),
  dimensions: carried('`output_dimension`'),
  encoding_format: carried('the gateway writes `base64` itself'),
  input_type: carried('`input_type`; without it, `search_document`'),
  truncate: carried('`truncate`; without it, `NONE`: a text that is too long is refused, and never cut'),
  user: ignored('it may be personal'),
};

/** Source: https://docs.cohere.com/reference/embed, `texts`. */
const MAX_TEXTS = 96;

/** Cohere requires the purpose; most vectors are for documents that are searched later. */
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

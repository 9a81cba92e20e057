import { FieldReader } from '../../translation/field-reader.ts';
import { carried, type FieldRules, ignored } from '../../translation/field-rules.ts';
import { numberAt } from '../../translation/field-values.ts';
import type { Translation } from '../../translation/translation.ts';
import { geminiResourceName } from './gemini-model-path.ts';

/** Rules for each field of POST /v1/embeddings in batchEmbedContents. */
export const GEMINI_EMBEDDING_FIELDS: FieldRules = {
  model: carried("the path and each of the `requests`, with the provider's name of it"),
  input: carried('a text in each of the `requests`, of which there may be 100; tokens are refused'),
  dimensions: carried('`outputDimensionality`'),
  encoding_format: carried('the gateway writes what the caller wants'),
  user: ignored('it may be personal'),
};

/** Source: Google's reference of `batchEmbedContents`. */
const MAX_TEXTS = 100;

export const EMBEDDINGS_TO_GEMINI: Translation = {
  name: 'content batch from embeddings',
  omitsModel: true,
  apply: (request, { id, upstreamModel }) => {
    const reader = new FieldReader(id, GEMINI_EMBEDDING_FIELDS);
    const { dimensions, input } = reader.members(request, '');
    const texts: unknown[] = Array.isArray(input) ? input : [input];
    if (texts.length > MAX_TEXTS)
      throw reader.refusal('input', `takes at most ${MAX_TEXTS} texts in one request`);
    const size = dimensions === undefined ? {} : { outputDimensionality: numberAt(dimensions, 'dimensions') };
    const requests = texts.map((text) => {
      if (typeof text !== 'string') throw reader.refusal('input', 'takes texts, and no tokens');
      return { model: geminiResourceName(upstreamModel), content: { parts: [{ text }] }, ...size };
    });
    return { request: { requests }, ignored: reader.ignored };
  },
};

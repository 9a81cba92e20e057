import { carried, type FieldRules, ignored } from '../../translation/field-rules.ts';

/** Rules for each field of POST /v1/embeddings at Vertex AI. */
export const VERTEX_EMBEDDING_FIELDS: FieldRules = {
  model: carried("the path, with the provider's name of it"),
  input: carried(
    'a text in each of the `instances` of `predict`, of which there may be 250, at models of Gemini one; of ' +
      '`gemini-embedding-2` the `content` of `embedContent`, which takes one; tokens are refused',
  ),
  dimensions: carried('`outputDimensionality`'),
  encoding_format: carried('the gateway writes what the caller wants'),
  user: ignored('it may be personal'),
};

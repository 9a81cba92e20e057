import { carried, type FieldRules, ignored } from '../../translation/field-rules.ts';

/** Rules for each field of POST /v1/embeddings in batchEmbedContents. */
export const GEMINI_EMBEDDING_FIELDS: FieldRules = {
  model: carried("the path and each of the `requests`, with the provider's name of it"),
  input: carried('a text in each of the `requests`, of which there may be 100; tokens are refused'),
  dimensions: carried('`outputDimensionality`'),
  encoding_format: carried('the gateway writes what the caller wants'),
  user: ignored('it may be personal'),
};

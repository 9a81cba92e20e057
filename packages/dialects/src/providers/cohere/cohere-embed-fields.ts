import { carried, type FieldRules, ignored } from '../../translation/field-rules.ts';

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

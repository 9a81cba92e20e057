import { carried, type FieldRules, ignored } from '../../translation/field-rules.ts';

/** Rules for each field of POST /v1/embeddings at Titan Text Embeddings. */
export const TITAN_FIELDS: FieldRules = {
  model: carried("the path, with the provider's name of it"),
  input: carried('`inputText`; more than one text is refused, and so are tokens'),
  dimensions: carried('`dimensions`'),
  encoding_format: carried('the gateway writes what the caller wants'),
  user: ignored('it may be personal'),
};

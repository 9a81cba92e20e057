import { carried, type FieldRules, refused } from '../../translation/field-rules.ts';

/** Rules for each field of POST /v1/rerank at models on Bedrock. */
export const BEDROCK_RERANK_FIELDS: FieldRules = {
  model: carried("the path, or `modelArn`, with the provider's name of it"),
  query: carried('`query`, or the text of `queries[0]`'),
  documents: carried('`documents`, or the texts of `sources`; of an object its `text`, or else its JSON'),
  top_n: carried('`top_n`, or `numberOfResults`'),
  return_documents: carried('the gateway adds the texts itself'),
  max_tokens_per_doc: refused('reads documents up to a length of its own'),
  rank_fields: refused('ranks whole documents', (value) => Array.isArray(value) && value.length === 0),
};

import { FieldReader } from '../../translation/field-reader.ts';
import { carried, type FieldRules, refused } from '../../translation/field-rules.ts';
import { documentTexts } from '../../translation/rerank-documents.ts';
import type { Translation } from '../../translation/translation.ts';

/** Rules for each field of POST /v1/rerank in POST /v2/rerank. */
export const COHERE_RERANK_FIELDS: FieldRules = {
  model: carried("`model`, the provider's name of it"),
  query: carried('`query`'),
  documents: carried('`documents`; of an object its `text`, or else its JSON'),
  top_n: carried('`top_n`'),
  max_tokens_per_doc: carried('`max_tokens_per_doc`'),
  return_documents: carried('the gateway adds the texts itself'),
  rank_fields: refused('ranks whole documents', (value) => Array.isArray(value) && value.length === 0),
};

export const RERANK_TO_COHERE: Translation = {
  name: 'cohere rerank from rerank',
  apply: (request, { id }) => {
    const reader = new FieldReader(id, COHERE_RERANK_FIELDS);
    const { documents, max_tokens_per_doc, query, top_n } = reader.members(request, '');
    return {
      request: {
        query,
        documents: documentTexts(documents),
        ...(top_n === undefined ? {} : { top_n }),
        ...(max_tokens_per_doc === undefined ? {} : { max_tokens_per_doc }),
      },
      ignored: reader.ignored,
    };
  },
};

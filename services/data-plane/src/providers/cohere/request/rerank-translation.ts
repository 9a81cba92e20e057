import { documentTexts } from '../../../translation/document-texts.ts';
import { FieldReader } from '../../../translation/field-reader.ts';
import type { Translation } from '../../../translation/translation.ts';
import { RERANK_FIELDS } from './rerank-fields.ts';

export const COHERE_RERANK_FROM_RERANK: Translation = {
  name: 'cohere rerank from rerank',
  apply: (request, { id }) => {
    const reader = new FieldReader(id, RERANK_FIELDS);
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

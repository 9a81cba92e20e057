import { FieldReader } from '../../translation/field-reader.ts';
import { documentTexts } from '../../translation/rerank-documents.ts';
import type { Translation } from '../../translation/translation.ts';
import { COHERE_RERANK_FIELDS } from './cohere-rerank-fields.ts';

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

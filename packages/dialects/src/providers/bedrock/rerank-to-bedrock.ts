import type { JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { documentTexts } from '../../translation/rerank-documents.ts';
import type { Translation } from '../../translation/translation.ts';
import { BEDROCK_RERANK_FIELDS } from './bedrock-rerank-fields.ts';

/** The version of its API that a model of Cohere is to be asked in. */
const COHERE_VERSION = 2;

export const RERANK_TO_INVOKE_MODEL: Translation = {
  name: 'invoked rerank on bedrock from rerank',
  leavesModelOut: true,
  apply: (request, { id, upstreamModel }) => {
    const { documents, ignored, query, top_n } = read(request, id);
    const isCoheres = /(?:^|[./])cohere\./.test(upstreamModel);
    return {
      request: {
        query,
        documents,
        ...(top_n === undefined ? {} : { top_n }),
        ...(isCoheres ? { api_version: COHERE_VERSION } : {}),
      },
      ignored,
    };
  },
};

/** The body of Rerank. Source: "Rerank" of the API reference of the agents' runtime of Bedrock. */
export const RERANK_TO_AGENTS: Translation = {
  name: 'rerank of the agents of bedrock from rerank',
  leavesModelOut: true,
  apply: (request, { id, upstreamModel }) => {
    const { documents, ignored, query, top_n } = read(request, id);
    return {
      request: {
        queries: [{ type: 'TEXT', textQuery: { text: query } }],
        sources: documents.map((text) => ({
          type: 'INLINE',
          inlineDocumentSource: { type: 'TEXT', textDocument: { text } },
        })),
        rerankingConfiguration: {
          type: 'BEDROCK_RERANKING_MODEL',
          bedrockRerankingConfiguration: {
            modelConfiguration: { modelArn: upstreamModel },
            numberOfResults: top_n ?? documents.length,
          },
        },
      },
      ignored,
    };
  },
};

function read(request: JsonObject, modelId: string) {
  const reader = new FieldReader(modelId, BEDROCK_RERANK_FIELDS);
  const { documents, query, top_n } = reader.members(request, '');
  return { query, top_n, documents: documentTexts(documents), ignored: reader.ignored };
}

import type { JsonObject } from '../../json/json-object.ts';
import { FieldReader } from '../../translation/field-reader.ts';
import { carried, type FieldRules, refused } from '../../translation/field-rules.ts';
import { documentTexts } from '../../translation/rerank-documents.ts';
import type { Translation } from '../../translation/translation.ts';

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

const COHERE_VERSION = 2;

export const RERANK_TO_INVOKE_MODEL: Translation = {
  name: 'invoked rerank on bedrock from rerank',
  omitsModel: true,
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
  omitsModel: true,
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

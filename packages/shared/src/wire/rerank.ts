import { z } from 'zod';
import { CALLERS_NOTES } from './callers-notes.ts';
import { labelMembers, labelsIn, unlabelledNames } from './label-members.ts';
import { KnownMembers } from './member-spelling.ts';

/** Cohere's v2 request with Jina's additions (docs/endpoints.md, "POST /v1/rerank"). */

const MAX_DOCUMENTS = 1_000;

const request = z.looseObject({
  model: z.string().min(1),
  query: z.string().min(1, 'must not be empty'),
  documents: z
    .array(z.union([z.string(), z.looseObject({})], 'expected a text or an object'))
    .min(1, 'must not be empty')
    .max(MAX_DOCUMENTS, `may hold at most ${MAX_DOCUMENTS} documents`),
  top_n: z.int().min(1).nullish(),
  return_documents: z.boolean().nullish(),
  rank_fields: z.array(z.string()).nullish(),
  max_tokens_per_doc: z.int().min(1).nullish(),
  ...labelMembers,
});

/** Checks the request, and extracts what the gateway itself needs. */
export const rerankRequest = request.transform(
  ({ model, query, documents, return_documents: wanted, ...others }) => ({
    model,
    streamed: false,
    labels: labelsIn(others),
    queryBytes: Buffer.byteLength(query),
    documentCount: documents.length,
    documentBytes: documents.map((document) => Buffer.byteLength(textOf(document))),
    /** The texts to return if the provider sends none; undefined: not requested. */
    documents: wanted === true ? documents.map(textOf) : undefined,
  }),
);
/** The members that the gateway needs, or that have a price. */
export const RERANK_MEMBERS = new KnownMembers([...unlabelledNames(request.shape), CALLERS_NOTES]);
export type RerankRequest = z.infer<typeof rerankRequest>;

/** Ignores an absurd count. */
const tokens = z.int().min(0).max(1_000_000_000).nullish().catch(null);

/** The members of a provider's answer that the gateway needs. */
export const rerankAnswer = z.looseObject({
  id: z.string().nullish(),
  results: z.array(
    z.looseObject({
      index: z.int().min(0),
      relevance_score: z.number(),
      document: z.union([z.string(), z.looseObject({ text: z.string().nullish() })]).nullish(),
    }),
  ),
  meta: z
    .looseObject({
      api_version: z.looseObject({}).nullish(),
      billed_units: z
        .looseObject({ search_units: z.int().min(0).max(1_000_000).nullish().catch(null) })
        .nullish(),
      tokens: z.looseObject({ input_tokens: tokens }).nullish(),
    })
    .nullish(),
  usage: z.looseObject({ total_tokens: tokens }).nullish(),
});
export type RerankAnswer = z.infer<typeof rerankAnswer>;

function textOf(document: string | Record<string, unknown>): string {
  if (typeof document === 'string') return document;
  return typeof document.text === 'string' ? document.text : JSON.stringify(document);
}

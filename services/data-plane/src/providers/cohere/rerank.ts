import type { RerankRequest } from '@model-gateway/shared';
import { writeExactJson } from '../../json/exact-json.ts';
import type { JsonBody } from '../../json/json-body.ts';
import { listAt } from '../../translation/field-values.ts';
import { isObject, type JsonObject } from '../../translation/json-object.ts';
import type { Endpoint } from '../dialect.ts';
import { askedInJson } from './request/asked-json.ts';
import { RERANK_FIELDS } from './request/rerank-fields.ts';

/** POST /v2/rerank. Its answers have the shape of the gateway's own. */
export const rerank: Endpoint<JsonBody<RerankRequest>> = {
  ask: (body, upstreamModel) =>
    askedInJson({ path: '/v2/rerank', rules: RERANK_FIELDS, upstreamModel }, body, rerankRequest),
};

function rerankRequest({ documents, max_tokens_per_doc, query, top_n }: JsonObject): JsonObject {
  return {
    query,
    documents: listAt(documents, 'documents').map(textOf),
    ...(top_n === undefined ? {} : { top_n }),
    ...(max_tokens_per_doc === undefined ? {} : { max_tokens_per_doc }),
  };
}

function textOf(document: unknown): string {
  if (typeof document === 'string') return document;
  return isObject(document) && typeof document.text === 'string' ? document.text : writeExactJson(document);
}

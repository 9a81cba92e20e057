import type { RerankRequest } from '@model-gateway/shared';
import { translatedRequest } from '../ask-written.ts';
import type { JsonEndpoint } from '../dialect.ts';
import { JSON_TYPE } from '../json-body.ts';
import { RERANK_TO_COHERE } from './request/rerank-translation.ts';

/** POST /v2/rerank. Its answers have the shape of the gateway's own. */
export const cohereRerank: JsonEndpoint<RerankRequest> = {
  ask: ({ written }, upstreamModel) =>
    translatedRequest({ path: '/v2/rerank', accept: JSON_TYPE }, written(upstreamModel, RERANK_TO_COHERE)),
};

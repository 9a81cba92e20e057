import type { RerankRequest } from '@model-gateway/shared';
import { askWritten } from '../ask-written.ts';
import type { JsonEndpoint } from '../dialect.ts';
import { JSON_TYPE } from '../json-body.ts';
import { COHERE_RERANK_FROM_RERANK } from './request/rerank-translation.ts';

/** POST /v2/rerank. Its answers have the shape of the gateway's own. */
export const rerank: JsonEndpoint<RerankRequest> = {
  ask: ({ written }, upstreamModel) =>
    askWritten({ path: '/v2/rerank', accept: JSON_TYPE }, written(upstreamModel, COHERE_RERANK_FROM_RERANK)),
};

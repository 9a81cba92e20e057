import type { RerankRequest } from '@model-gateway/shared';
import type { JsonEndpoint } from '../../interfaces/provider-protocol.ts';
import { buildTranslatedRequest } from '../shared/build-translated-request.ts';
import { JSON_TYPE } from '../shared/write-json-body.ts';
import { RERANK_TO_COHERE } from './rerank-to-cohere.ts';

/** POST /v2/rerank. Its responses have the gateway's own form. */
export const cohereRerank: JsonEndpoint<RerankRequest> = {
  buildRequest: ({ translate }, upstreamModel) =>
    buildTranslatedRequest(
      { path: '/v2/rerank', accept: JSON_TYPE },
      translate(upstreamModel, RERANK_TO_COHERE),
    ),
};

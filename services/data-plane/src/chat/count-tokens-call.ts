import {
  asksForBeta,
  type CountEndpoint,
  endpointOf,
  type JsonBody,
  MESSAGES_FOR_CLOUDS,
  MESSAGES_TO_CHAT,
  MESSAGES_WITHOUT_CARRIED_STATE,
  type PromptToCount,
  type ProviderProtocol,
  readBetas,
} from '@model-gateway/dialects';
import { type CountTokensRequest, countTokensRequest, NO_UNITS } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { JsonRelay, type WholeAnswers } from '../upstream/relay-json.ts';
import { type PassthroughContext, PassthroughRequest } from './passthrough-request.ts';
import { RequestTranslation } from './request-translation.ts';

/** POST /v1/messages/count_tokens at a provider that counts tokens. */
export function countTokensCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<CountTokensRequest>,
  model: RoutedModel,
  shared: WholeAnswers & PassthroughContext,
): CapabilityCall {
  const chat = { api: 'messages', body, model, fromCaller: MESSAGES_TO_CHAT } as const;
  const translation = new RequestTranslation(exchange, chat, shared);
  const options = {
    api: 'messages',
    body,
    model,
    schema: countTokensRequest,
    withoutCarriedState: MESSAGES_WITHOUT_CARRIED_STATE,
    ...(body.value.hasOwnApiMembers ? { forClouds: MESSAGES_FOR_CLOUDS } : {}),
  } as const;
  const passthrough = new PassthroughRequest(exchange, options, shared);
  const prompt: PromptToCount = {
    body,
    beta: asksForBeta(exchange.req),
    betas: readBetas(exchange.req),
    translate: translation.written,
    passthroughBody: (receiver) => passthrough.body(receiver),
  };
  return {
    ...SIZED_BY_REQUEST,
    streamed: false,
    isRepeatable: () => translation.isRepeatable && passthrough.isRepeatable,
    maxUnits: NO_UNITS,
    buildRequest: (protocol, upstreamModel, pace) =>
      countEndpoint(protocol).buildRequest(prompt, upstreamModel, pace),
    answer: new JsonRelay(exchange, shared, ({ protocol }) => countEndpoint(protocol)),
  };
}

function countEndpoint(protocol: ProviderProtocol): CountEndpoint {
  const { count } = endpointOf(protocol, 'chat');
  if (count === undefined) throw new Error('the provider has no endpoint that counts tokens');
  return count;
}

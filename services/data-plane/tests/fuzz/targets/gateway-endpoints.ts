import fc from 'fast-check';
import { type FuzzTarget, require } from '../fuzz-target.ts';
import { posted, requireAnswer } from '../gateway-calls.ts';
import { type Json, mutatedJson } from '../mutate.ts';
import { CAPABILITY_REQUESTS, COMPLETIONS_REQUESTS, REQUEST_SEEDS } from '../request-seeds.ts';

interface Input {
  path: string;
  model: string;
  request: Json;
}

const ENDPOINTS: readonly (Omit<Input, 'request'> & { seeds: readonly Json[] })[] = [
  { path: '/v1/completions', model: 'sim/complete-pro', seeds: COMPLETIONS_REQUESTS },
  { path: '/v1/embeddings', model: 'sim/embed-pro', seeds: CAPABILITY_REQUESTS.embeddings },
  { path: '/v1/rerank', model: 'sim/rerank-pro', seeds: CAPABILITY_REQUESTS.rerank },
  { path: '/v1/moderations', model: 'sim/moderate-pro', seeds: CAPABILITY_REQUESTS.moderation },
  { path: '/v1/images/generations', model: 'sim/image-pro', seeds: CAPABILITY_REQUESTS.images },
  { path: '/v1/audio/speech', model: 'sim/speech-pro', seeds: CAPABILITY_REQUESTS.speech },
  { path: '/v1/messages/count_tokens', model: 'matrix/anthropic', seeds: REQUEST_SEEDS.messages },
  { path: '/v1/messages/count_tokens', model: 'sim/chat-pro', seeds: REQUEST_SEEDS.messages },
  { path: '/v1/responses/input_tokens', model: 'matrix/gemini', seeds: REQUEST_SEEDS.responses },
  { path: '/v1/responses/compact', model: 'matrix/openai-responses', seeds: REQUEST_SEEDS.responses },
];

/** Sends requests to every other route that takes JSON. */
export const gatewayEndpoints: FuzzTarget<Input> = {
  name: 'gateway-endpoints',
  input: fc.oneof(
    ...ENDPOINTS.map(({ model, path, seeds }) =>
      fc.record({ path: fc.constant(path), model: fc.constant(model), request: mutatedJson(seeds) }),
    ),
  ),
  needsGateway: true,
  maxMs: 20_000,
  async check({ model, path, request }, gateway) {
    const isObject = typeof request === 'object' && request !== null && 'model' in request;
    const body = JSON.stringify(isObject ? { ...request, model } : request);
    const answer = await posted(gateway, path, 'application/json', body);
    requireAnswer(answer);
    if (answer.isStream) require(answer.text.endsWith('\n\n'), 'the last event is not whole');
  },
};

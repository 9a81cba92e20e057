import type { ChatApi } from '@model-gateway/dialects';
import fc from 'fast-check';
import { requireGrammar } from '../chat-grammar.ts';
import { CALLER_APIS } from '../chats.ts';
import type { FuzzTarget } from '../fuzz-target.ts';
import { CHAT_MODELS } from '../fuzzed-catalog.ts';
import { posted, requireAnswer } from '../gateway-calls.ts';
import { type Json, mutatedJson } from '../mutate.ts';
import { REQUEST_SEEDS } from '../request-seeds.ts';

interface Input {
  api: ChatApi;
  request: Json;
}

const PATHS: Readonly<Record<ChatApi, string>> = {
  'chat-completions': '/v1/chat/completions',
  messages: '/v1/messages',
  responses: '/v1/responses',
};

const requestsOf = (api: ChatApi): fc.Arbitrary<Input> =>
  fc.record({
    api: fc.constant(api),
    request: fc
      .tuple(mutatedJson(REQUEST_SEEDS[api]), fc.constantFrom(...CHAT_MODELS))
      .map(([request, model]) =>
        typeof request === 'object' && request !== null && 'model' in request
          ? { ...request, model }
          : request,
      ),
  });

/** Sends chats in every API to strict providers of every kind: they succeed, or get a 4xx. */
export const gatewayChats: FuzzTarget<Input> = {
  name: 'gateway-chats',
  input: fc.oneof(...CALLER_APIS.map(requestsOf)),
  needsGateway: true,
  maxMs: 20_000,
  async check({ api, request }, gateway) {
    const answer = await posted(gateway, PATHS[api], 'application/json', JSON.stringify(request));
    requireAnswer(answer);
    if (answer.status !== 200) return;
    if (answer.isStream) requireGrammar(api, answer.text, { hasFailed: false, isPassthrough: true });
    else JSON.parse(answer.text);
  },
};

import type { ChatApi } from '@model-gateway/dialects';
import fc from 'fast-check';
import { CALLER_APIS, chatAt, KINDS, kindNamed, requestAt } from '../chats.ts';
import type { FuzzTarget } from '../fuzz-target.ts';
import { type Json, mutatedJson } from '../mutate.ts';
import { REQUEST_SEEDS } from '../request-seeds.ts';
import { requireSendable } from '../sendable.ts';

interface Input {
  api: ChatApi;
  kind: string;
  request: Json;
}

const requestsOf = (api: ChatApi): fc.Arbitrary<Input> =>
  fc.record({
    api: fc.constant(api),
    kind: fc.constantFrom(...KINDS.map(({ name }) => name)),
    request: mutatedJson(REQUEST_SEEDS[api]),
  });

/** Translates requests of every API for every kind of provider: refused by name, or ready to send. */
export const chatRequests: FuzzTarget<Input> = {
  name: 'chat-requests',
  input: fc.oneof(...CALLER_APIS.map(requestsOf)),
  async check({ api, kind: name, request }) {
    const kind = kindNamed(name);
    await requireSendable(() => requestAt(chatAt(api, request), kind), kind);
  },
};

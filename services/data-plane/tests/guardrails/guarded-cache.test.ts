import { modelEntry, providerEntry, withGateway } from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';
import { requestOf, withServer } from './guarded-gateway.ts';

const redisUrl = inject('redis')?.url ?? '';
const ANSWER = { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm' };
const CHOICE = { index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' };

describe.skipIf(redisUrl === '')('a chat that guardrails check', () => {
  const provider = withServer();
  const gateway = withGateway(() => ({
    redisUrl,
    document: () => ({
      providers: [providerEntry('chat', provider.url)],
      models: [
        modelEntry('chat/checked', { chat: 'm' }, { guardrails: ['keys'] }),
        modelEntry('chat/free', { chat: 'm' }),
      ],
      guardrails: [{ id: 'keys', kind: 'secrets' }],
    }),
  }));

  it.each([
    ['chat/checked', ['bypass', 'bypass']],
    ['chat/free', ['miss', 'hit']],
  ])('bypasses the cache, whose answers nobody has checked: %s', async (model, expected) => {
    provider.answer((_req, res) => {
      res.setHeader('content-type', 'application/json');
      res.end(
        JSON.stringify({ ...ANSWER, choices: [CHOICE], usage: { prompt_tokens: 9, completion_tokens: 2 } }),
      );
    });
    const account = await gateway.createAccount();
    const request = { account, name: 'cached', cache: 'read, write' };
    const { rawKey } = await gateway.admin.call(30_000, 'accounts', 'createKey', request);
    const headers = { 'x-gateway-cache': 'read, write' };
    for (const options of [{ headers }, { key: rawKey }]) {
      const ask = async () => (await gateway.chat(requestOf('chat', { model }), options)).headers;
      const outcomes = [await ask(), await ask()].map((answered) => answered.get('x-gateway-cache'));
      expect(outcomes).toEqual(expected);
    }
  });
});

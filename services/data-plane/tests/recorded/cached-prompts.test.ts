import { withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { bothApis, CLAUDE } from '../endpoints/both-apis.ts';

import { billByHand, catalogPricing, finalUsage, handPrices } from './bill-by-hand.ts';

const PRICES = handPrices(0);
const MODEL = CLAUDE.replace('free', 'pro');

const gateway = withGateway({
  document: (baseUrl) => {
    const document = bothApis(baseUrl);
    const priced = document.models.map((model) =>
      model.id === MODEL ? { ...model, pricing: catalogPricing(PRICES) } : model,
    );
    return { ...document, models: priced };
  },
});

const part = (name: string, ttl: '5m' | '1h') => ({
  type: 'text',
  text: `${name} `.repeat(200),
  cache_control: { type: 'ephemeral', ttl },
});
const QUESTION = { role: 'user', content: 'What is in the book?' };
const LONG_FIRST = [part('chapter', '1h'), part('page', '5m')];

async function ask(path: 'messages' | 'chat/completions', stream: boolean) {
  const prompt =
    path === 'messages'
      ? { system: LONG_FIRST, messages: [QUESTION] }
      : { messages: [{ role: 'system', content: LONG_FIRST }, QUESTION] };
  const response = await gateway.ask(path, { model: MODEL, max_tokens: 50, stream, ...prompt });
  expect(response.status, response.body).toBe(200);
  return { text: response.body, charged: (await gateway.recordOf(response)).charged };
}

it('a prompt that is cached for an hour and for five minutes, and then read, costs its usage', async () => {
  for (const stream of [false, true]) {
    gateway.provider.clear();
    const [written, read] = [await ask('messages', stream), await ask('messages', stream)];
    const usages = [written, read].map(({ text }) => {
      const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);
      return finalUsage({ name: '', model: MODEL, content: stream ? { events } : { text } });
    });
    const [first, second] = usages;
    expect(first?.cache_creation?.ephemeral_1h_input_tokens).toBeGreaterThan(100);
    const ofFiveMinutes =
      (first?.cache_creation_input_tokens ?? 0) - (first?.cache_creation?.ephemeral_1h_input_tokens ?? 0);
    expect(ofFiveMinutes).toBeGreaterThan(100);
    expect(second?.cache_read_input_tokens).toBe(first?.cache_creation_input_tokens);
    const bills = usages.map((usage) => billByHand(usage, () => PRICES));
    expect([written.charged, read.charged]).toEqual(bills);

    gateway.provider.clear();
    const [chatWritten, chatRead] = [
      await ask('chat/completions', stream),
      await ask('chat/completions', stream),
    ];
    // The same tokens in the other API: the same nano-dollars.
    expect([chatWritten.charged, chatRead.charged]).toEqual(bills);
  }
});

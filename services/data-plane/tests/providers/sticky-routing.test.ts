import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { STATE } from '../stored-responses/storage-settings.ts';
import {
  Conversation,
  conversations,
  ENVIRONMENT,
  keyOf,
  runConversations,
  stickyCatalog,
  WEIGHTS,
} from './sticky-fixture.ts';

const redisUrl = inject('redis')?.url;
const gateway = withGateway({
  dataPlanes: 2,
  ...(redisUrl === undefined ? {} : { redisUrl }),
  provider: { apiKey: WEIGHTS.map(keyOf), automaticCache: true, tokenDelayMs: 0 },
  environment: { ...ENVIRONMENT, ...(redisUrl === undefined ? {} : STATE) },
  document: stickyCatalog,
});

const converse = (model: string, count = 12) => runConversations(gateway, { model, count, turns: 4 });

const numberOf = (values: readonly unknown[]) => new Set(values).size;
/** Sends a request with this text alone. @returns the weight of the credential of its last attempt */
async function credentialOf(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await gateway.post(path, body, { headers });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const sent = JSON.stringify(gateway.provider.requests.at(-1)?.headers);
  const { id = '' } = z.looseObject({ id: z.string().optional() }).parse(JSON.parse(text));
  return { id, response, weight: WEIGHTS.find((weight) => sent.includes(keyOf(weight))) };
}

describe('a conversation', () => {
  it.each([
    ['own/upstreams', 'own/spread-upstreams'],
    ['virtual/sticky', 'virtual/spread'],
  ])('stays at one place of %s, and is spread with affinity: none (%s)', async (sticky, spread) => {
    const together = await converse(sticky);
    for (const { credentials, models } of together) {
      expect(numberOf(credentials)).toBe(1);
      expect(numberOf(models)).toBe(1);
    }
    expect(numberOf(together.map(({ credentials }) => credentials[0]))).toBeGreaterThan(1);
    const apart = await converse(spread);
    expect(apart.some(({ credentials }) => numberOf(credentials) > 1)).toBe(true);
  });

  it('goes to models in the order that the caller names, whatever its place in a virtual model', async () => {
    const all = conversations(gateway, 'virtual/sticky', 6);
    for (const conversation of all) await conversation.turn();
    expect(numberOf(all.map(({ models }) => models[0]))).toBeGreaterThan(1);
    for (const model of ['member/1', 'member/3']) {
      for (const conversation of all) {
        await conversation.turn({ model: undefined, models: [model, 'member/2'] });
        expect(conversation.models.at(-1)).toBe(model);
      }
    }
  });

  it('is known by its first messages, or by its session, and the receipt says so', async () => {
    const all = conversations(gateway, 'own/sticky', 6);
    for (const conversation of all) {
      await conversation.turn({}, { 'x-session-id': 'one for all' });
      await conversation.turn({}, { 'x-session-id': 'one for all' });
    }
    expect(numberOf(all.flatMap(({ credentials }) => credentials))).toBe(1);
    const [first = new Conversation(gateway, 'own/sticky', 0)] = all;
    const bySession = await gateway.receiptOf(requestOf(first.requestIds[1]));
    expect(bySession).toMatchObject({ affinity: 'session', session: 'one for all' });
    const { units, cached_input_share: share } = bySession;
    expect(units.cached_input_tokens).toBeGreaterThanOrEqual(1_024);
    expect(share).toBeCloseTo(units.cached_input_tokens / units.input_tokens, 4);
    const [other = first] = await converse('own/sticky', 1);
    expect(await gateway.receiptOf(requestOf(other.requestIds[0]))).toMatchObject({
      affinity: 'prefix',
    });
    const [spread = first] = await converse('own/spread', 1);
    expect(await gateway.receiptOf(requestOf(spread.requestIds[0]))).toMatchObject({ affinity: 'none' });
  });
});

describe('a conversation in another API', () => {
  const system = 'You are terse.';

  it.each([0, 1, 2, 3])('stays with its credential in Messages (%i)', async (number) => {
    const first = [{ role: 'user', content: [{ type: 'text', text: `Why is it ${number}?` }] }];
    const next = [
      { role: 'user', content: `Why is it ${number}?` },
      { role: 'assistant', content: 'It is.' },
      { role: 'user', content: 'Really?' },
    ];
    const body = { model: 'own/sticky', max_tokens: 5, system };
    const { weight } = await credentialOf('messages', { ...body, messages: first });
    expect((await credentialOf('messages', { ...body, messages: next })).weight).toBe(weight);
  });

  it.each([0, 1, 2, 3])(
    'stays with its credential in Responses, also by ids of responses (%i)',
    async (number) => {
      const body = { model: 'own/recorder', max_output_tokens: 16, instructions: system };
      const first = await credentialOf('responses', { ...body, input: `Why is it ${number}?` });
      let previous = first.id;
      for (const input of ['Really?', 'And why?']) {
        const next = await credentialOf('responses', { ...body, input, previous_response_id: previous });
        expect(next.weight).toBe(first.weight);
        previous = next.id;
      }
      // Each turn asked one credential only.
      expect(gateway.provider.requests).toHaveLength(3);
      const headers = { authorization: `Bearer ${gateway.rawKey}` };
      const read = await fetch(`${gateway.baseUrl}/v1/responses/${previous}`, { headers });
      expect(await read.json()).toMatchObject({ id: previous });
      expect(gateway.provider.requests).toHaveLength(4);
    },
  );

  it.skipIf(redisUrl === undefined).each([0, 1, 2, 3])(
    'stays with its credential where the gateway stores its responses (%i)',
    async (number) => {
      const body = { model: 'virtual/stored', max_output_tokens: 16, instructions: system };
      const first = await credentialOf('responses', { ...body, input: `Why is it ${number}?` });
      let previous = first.id;
      for (const input of ['Really?', 'And why?']) {
        const next = await credentialOf('responses', { ...body, input, previous_response_id: previous });
        expect(next.weight).toBe(first.weight);
        expect(next.response.headers.get('x-gateway-model')).toBe(
          first.response.headers.get('x-gateway-model'),
        );
        previous = next.id;
      }
    },
  );

  it('stays with its credential when it is too large for the event loop', async () => {
    const text = 'All of it. '.repeat(120_000);
    const body = { model: 'own/sticky', max_tokens: 5, simulate: { content: 'Yes.' } };
    const turns = [{ role: 'user', content: text }];
    const { weight } = await credentialOf('chat/completions', { ...body, messages: turns });
    const small = await credentialOf('chat/completions', {
      ...body,
      messages: [...turns, { role: 'assistant', content: 'Yes.' }, { role: 'user', content: 'Why?' }],
    });
    expect(small.weight).toBe(weight);
  });
});

function requestOf(id = ''): Pick<Response, 'headers'> {
  return { headers: new Headers({ 'x-request-id': id }) };
}

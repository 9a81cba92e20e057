import { envelopeOf, simulatedCatalog, withGateway } from '@model-gateway/test-kit';
import { BadRequestError } from 'openai';
import { describe, expect, it } from 'vitest';
import { createRuledKey } from '../limits/ruled-key.ts';
import { expectClosedAtOnce } from './client-outcomes.ts';
import { openAiOf } from './official-clients.ts';

const gateway = withGateway();
const client = () => openAiOf(gateway);
const model = 'sim/complete-free';
const sentBody = () => gateway.provider.requests.at(-1)?.body;

async function post(fields: object) {
  return await gateway.ask('completions', { model, prompt: 'Once upon a time', ...fields });
}

describe("OpenAI's client and text completions", () => {
  it('a completion continues its prompt, and has the headers of the gateway', async () => {
    const { data, response } = await client()
      .completions.create({ model, prompt: 'Once upon a time', max_tokens: 8 })
      .withResponse();
    expect(data).toMatchObject({ object: 'text_completion', model });
    expect(data.choices).toEqual([
      { index: 0, text: expect.stringMatching(/./), logprobs: null, finish_reason: 'length' },
    ]);
    expect(data.usage).toMatchObject({ completion_tokens: 8 });
    expect(response.headers.get('x-gateway-model')).toBe(model);
    expect(gateway.provider.requests.at(-1)).toMatchObject({ method: 'POST', path: '/v1/completions' });
    expect(sentBody()).toMatchObject({ model: 'sim-complete-free', max_tokens: 8 });
  });

  it('a stream has the text of the whole completion, and usage only on request', async () => {
    const request = { model, prompt: ['one', 'two'], n: 2, max_tokens: 8 };
    const whole = await client().completions.create(request);
    const stream = await client().completions.create({ ...request, stream: true });
    const texts = ['', '', '', ''];
    for await (const { choices, usage } of stream) {
      expect(usage).toBeUndefined();
      for (const { index, text } of choices) texts[index] += text;
    }
    expect(texts).toEqual(whole.choices.map(({ text }) => text));
    expect(sentBody()).toMatchObject({ stream_options: { include_usage: true } });
    const chunks = await Array.fromAsync(
      await client().completions.create({
        ...request,
        stream: true,
        stream_options: { include_usage: true },
      }),
    );
    expect(chunks.at(-1)).toMatchObject({ model, choices: [], usage: { completion_tokens: 32 } });
  });

  it('the provider sees its request closed within 100 ms after the client aborts a stream', async () => {
    gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(500) });
    const request = { model, prompt: 'a', max_tokens: 500, stream: true } as const;
    for await (const chunk of await client().completions.create(request)) if (chunk.choices[0]?.text) break;
    await expectClosedAtOnce(gateway, () => undefined);
  });

  it('a broken stream ends with an error and without [DONE]', async () => {
    const { body, isBroken } = await post({ stream: true, simulate: { truncate: { after_events: 3 } } });
    expect(body).toContain('"upstream_error"');
    expect(body).not.toContain('[DONE]');
    expect(isBroken).toBe(true);
  });

  it("the provider's refusal reaches the client", async () => {
    const refused = client().completions.create({ model, prompt: 'a', n: 1, best_of: 2, stream: true });
    await expect(refused).rejects.toThrow(BadRequestError);
    await expect(refused).rejects.toThrow('Cannot stream results with best_of');
  });
});

describe('the shape of a request', () => {
  it.each<[string, unknown, number]>([
    ['a text', 'hi', 200],
    ['nothing', '', 200],
    ['null', null, 200],
    ['texts', ['a', ''], 200],
    ['tokens', [1, 2, 3], 200],
    ['lists of tokens', [[1, 2], [3]], 200],
    ['an empty list', [], 400],
    ['an empty list of tokens', [[1], []], 400],
    ['too many', Array.from({ length: 2_049 }, () => 'x'), 400],
    ['a mixture', ['a', 1], 400],
    ['half a token', [1.5], 400],
    ['a negative token', [-1], 400],
    ['an object', { text: 'a' }, 400],
  ])('a prompt of %s is served or refused', async (_name, prompt, status) => {
    const answer = await post({ prompt, max_tokens: 1, notre: { a: 1 } });
    expect(answer.status, answer.body).toBe(status);
    if (status === 400) expect(envelopeOf(answer)).toMatchObject({ param: 'prompt' });
    else expect(sentBody()).toMatchObject({ prompt });
  });

  it.each([
    ['n', 129],
    ['best_of', 0],
    ['max_tokens', -1],
    ['max_tokens', 1.5],
    ['stream', 'yes'],
    ['echo', 'yes'],
    ['suffix', 5],
    ['Max_Tokens', 5],
    ['bestOf', 5],
  ])('%s: %j is refused', async (param, value) => {
    const answer = await post({ [param]: value });
    expect([answer.status, envelopeOf(answer).param]).toEqual([400, param]);
  });

  it('a list of models is tried in order', async () => {
    gateway.provider.script({ status: 500 });
    const answer = await post({ model: undefined, models: [model, 'sim/complete-pro'] });
    expect([answer.status, answer.headers.get('x-gateway-model')]).toEqual([200, 'sim/complete-pro']);
    expect(sentBody()).not.toHaveProperty('models');
  });

  it('another spelling of include_usage is refused, since the provider might send no usage then', async () => {
    const answer = await post({ stream: true, stream_options: { Include_Usage: false } });
    expect(envelopeOf(answer).param).toBe('stream_options.Include_Usage');
  });

  it('a chat model and a model for completions do not take each other’s requests', async () => {
    const chat = await post({ model: 'sim/chat-free' });
    expect([chat.status, envelopeOf(chat).code]).toEqual([400, 'wrong_endpoint']);
    expect(envelopeOf(chat).message).toContain('/v1/chat/completions');
    const messages = [{ role: 'user', content: 'hi' }];
    const completion = await gateway.ask('chat/completions', { model, messages });
    expect([completion.status, envelopeOf(completion).code]).toEqual([400, 'wrong_endpoint']);
    expect(envelopeOf(completion).message).toContain('/v1/completions');
  });
});

describe('the limits of a key', () => {
  it('a stream of text takes a place for streams, and gives it back', async () => {
    const { rawKey: key } = await createRuledKey(gateway, { streams: 1 });
    const ask = (fields: object = {}) =>
      gateway.ask('completions', { model, prompt: 'a', stream: true, ...fields }, { key });
    const abort = new AbortController();
    const open = await gateway.post(
      'completions',
      { model, prompt: 'a', stream: true, simulate: { hang: { after_events: 1 } } },
      { key, signal: abort.signal },
    );
    expect(open.status).toBe(200);
    const second = await ask();
    expect([second.status, envelopeOf(second).code]).toEqual([429, 'concurrent_streams_exceeded']);
    expect((await ask({ stream: false })).status).toBe(200);
    abort.abort();
    await expect.poll(async () => (await ask()).status).toBe(200);
  });

  it('the output that is asked for counts against tokens per minute', async () => {
    const { rawKey: key } = await createRuledKey(gateway, { tokens_per_minute: 1_000 });
    const ask = (n: number) =>
      gateway.ask('completions', { model, prompt: 'a', max_tokens: 300, n }, { key });
    expect([(await ask(4)).status, (await ask(2)).status]).toEqual([429, 200]);
  });
});

describe('a text completion of an account with guardrails', () => {
  const guarded = withGateway({
    document: (baseUrl) => ({
      ...simulatedCatalog(baseUrl),
      // Even a guardrail that lets texts pass when it fails has not checked these.
      guardrails: [{ id: 'no-keys', kind: 'secrets', accounts: 'all', on_failure: 'pass' }],
    }),
  });

  it.each([false, true])('is refused, since only chats are checked; streamed: %s', async (stream) => {
    const answer = await guarded.ask('completions', { model, prompt: 'a', stream });
    expect([answer.status, envelopeOf(answer).code]).toEqual([403, 'endpoint_not_allowed']);
    expect(envelopeOf(answer).message).toContain('"no-keys" checks chats only');
    expect(envelopeOf(answer).message).toContain('POST /v1/chat/completions');
    expect(guarded.provider.requests).toEqual([]);
    expect((await guarded.chat({ stream })).status).toBe(200);
  });
});

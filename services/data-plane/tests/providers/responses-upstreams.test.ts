import { envelopeOf, withGateway, withStarted } from '@model-gateway/test-kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { askResponses, responseOf } from '../endpoints/ask-responses.ts';
import { startStoringProvider } from './storing-provider.ts';

const first = withStarted(() => startStoringProvider('first'));
const second = withStarted(() => startStoringProvider('second'));
const gateway = withGateway(() => {
  const provider = (id: string, base_url: string) => ({
    id,
    name: id,
    kind: 'openai-compatible' as const,
    apis: ['chat' as const, 'responses' as const],
    base_url,
  });
  const model = (id: string, tier: 'free' | 'paid', ...upstreams: [string, number][]) => ({
    id,
    name: id,
    capability: 'chat' as const,
    tier,
    upstreams: upstreams.map(([name, priority]) => ({ provider: name, model: 'theirs', priority })),
    pricing: tier === 'free' ? {} : { input_per_million_usd: '1', output_per_million_usd: '2' },
  });
  return {
    document: () => ({
      providers: [provider('first', first.baseUrl), provider('second', second.baseUrl)],
      models: [
        model('acme/both', 'free', ['first', 1], ['second', 2]),
        model('acme/reversed', 'free', ['first', 2], ['second', 1]),
        model('acme/second', 'free', ['second', 1]),
        model('acme/paid', 'paid', ['first', 1]),
      ],
    }),
  };
});
beforeEach(() => {
  first.received.length = 0;
  second.received.length = 0;
});

const ask = (body: object, key = gateway.rawKey) =>
  askResponses(gateway, key, { body: { input: 'hi', ...body } });
const counts = () => [first.received.length, second.received.length];

describe('a request that continues a provider-stored response', () => {
  it('a continued request goes to the provider that stores the response, whichever the model prefers', async () => {
    const { id } = responseOf(await ask({ model: 'acme/both' }));
    for (const stream of [false, true]) {
      const next = await ask({ model: 'acme/reversed', previous_response_id: id, stream });
      expect(next.status, next.body).toBe(200);
      expect(next.body).toContain(`"previous_response_id":"${id}"`);
      expect(next.body).not.toContain('resp_first');
    }
    expect(counts()).toEqual([3, 0]);
    expect(JSON.parse(first.received.at(-1)?.body ?? '').previous_response_id).toBe('resp_first_1');
  });

  it('a continued request keeps every byte except the model and the response id', async () => {
    const { id } = responseOf(await ask({ model: 'acme/both' }));
    const raw = [...first.stored.keys()].at(-1);
    const body = `{ "model" : "acme/both","n":1.0,"previous_response_id": "${id}",\n "input":"\\u00e4 hi","x":[1e2] }`;
    const response = await gateway.post('responses', body);
    expect(response.status, await response.text()).toBe(200);
    expect(first.received.at(-1)?.body).toBe(body.replace('acme/both', 'theirs').replace(id, raw ?? ''));
  });

  it('a continued request does not go to another provider when its own fails', async () => {
    const { id } = responseOf(await ask({ model: 'acme/both' }));
    const { respond } = first;
    first.respond = (res) => res.writeHead(500).end();
    const failed = await ask({ model: 'acme/both', previous_response_id: id });
    first.respond = respond;
    expect(failed.status).toBe(502);
    expect(second.received).toHaveLength(0);
  });

  it('a continued request with a model that the storing provider does not serve is refused', async () => {
    const { id } = responseOf(await ask({ model: 'acme/both' }));
    const refused = await ask({ model: 'acme/second', previous_response_id: id });
    expect(refused.status).toBe(400);
    expect(envelopeOf(refused)).toMatchObject({ param: 'previous_response_id', code: 'invalid_request' });
    expect(envelopeOf(refused).message).toMatch(/"first".*"acme\/second"/);
  });

  it.each(['resp_first_1', 'resp_', 'x'.repeat(5_000)])(
    'an id that the gateway never gave is not found: %.20s',
    async (id) => {
      const refused = await ask({ model: 'acme/both', previous_response_id: id });
      expect(refused.status).toBe(404);
      expect(envelopeOf(refused)).toMatchObject({
        code: 'previous_response_not_found',
        param: 'previous_response_id',
        message: `Previous response with id '${id.slice(0, 200)}' not found.`,
      });
      expect(counts()).toEqual([0, 0]);
    },
  );

  it('the id of another account, or a changed one, is not found', async () => {
    const { id } = responseOf(await ask({ model: 'acme/both' }));
    const { rawKey: other } = await gateway.createKey();
    expect((await ask({ model: 'acme/both', previous_response_id: id }, other)).status).toBe(404);
    const changed = id.slice(0, 20) + (id[20] === 'A' ? 'B' : 'A') + id.slice(21);
    expect((await ask({ model: 'acme/both', previous_response_id: changed })).status).toBe(404);
    expect(counts()).toEqual([1, 0]);
  });

  it("a response that its provider dropped is not found, under the caller's id", async () => {
    const { id } = responseOf(await ask({ model: 'acme/both' }));
    first.stored.clear();
    const refused = await ask({ model: 'acme/both', previous_response_id: id });
    expect(refused.status).toBe(404);
    expect(envelopeOf(refused)).toMatchObject({
      code: 'previous_response_not_found',
      message: `Previous response with id '${id.slice(0, 200)}' not found.`,
    });
  });
});

describe('a request that refers to an item', () => {
  const reference = (id: string) => [{ type: 'item_reference', id }];

  it('a referenced item is asked of the next provider when the first lacks it', async () => {
    const answer = await ask({ model: 'acme/both', input: reference('msg_second_1') });
    expect(answer.status, answer.body).toBe(200);
    expect(counts()).toEqual([1, 1]);
  });

  it('a referenced item that no provider has is 404, in the words of the last', async () => {
    const refused = await ask({ model: 'acme/both', input: reference('msg_other') });
    expect(refused.status).toBe(404);
    expect(envelopeOf(refused)).toMatchObject({
      code: 'not_found',
      message: "Item with id 'msg_other' not found.",
    });
    expect(counts()).toEqual([1, 1]);
  });

  it('reasoning that was sent back without its content is 404, too, if no provider stores it', async () => {
    const input = [{ type: 'reasoning', id: 'rs_other', summary: [] }];
    const refused = await ask({ model: 'acme/both', input });
    expect(envelopeOf(refused)).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('rs_other'),
    });
    expect(refused.status).toBe(404);
  });
});

describe('a response in the background', () => {
  it('a background response of a free model passes', async () => {
    const answer = await ask({ model: 'acme/both', background: true });
    expect(responseOf(answer)).toMatchObject({ status: 'queued' });
  });
});

import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { openAiOf } from '../endpoints/official-clients.ts';
import { GEMINI, geminiDocument } from './gemini.ts';

const client = () => openAiOf(gateway);

const gateway = withGateway({ document: geminiDocument });

const model = GEMINI.embeds;

const embed = (request: object) => gateway.post('embeddings', { model, ...request });

describe('embeddings of Gemini', () => {
  it('embeddings are those of each text, in order, for the official client, which asks for base64', async () => {
    const one = await client().embeddings.create({ model, input: 'ice', dimensions: 8 });
    const two = await client().embeddings.create({ model, input: ['snow', 'ice'], dimensions: 8 });
    expect(two.data.map(({ index }) => index)).toEqual([0, 1]);
    expect(two.data[1]?.embedding).toEqual(one.data[0]?.embedding);
    expect(two.data[0]?.embedding).toHaveLength(8);
    expect(two).toMatchObject({ object: 'list', model });
    expect(two.usage.prompt_tokens).toBeGreaterThan(0);
    expect(gateway.provider.requests.at(-1)).toMatchObject({
      path: '/v1beta/models/sim-gemini-embed:batchEmbedContents',
      body: {
        requests: [
          {
            model: 'models/sim-gemini-embed',
            content: { parts: [{ text: 'snow' }] },
            outputDimensionality: 8,
          },
          { content: { parts: [{ text: 'ice' }] } },
        ],
      },
    });
    const encoding_format = 'float';
    const floats = await client().embeddings.create({ model, input: 'ice', dimensions: 8, encoding_format });
    expect(floats.data[0]?.embedding.map(Math.fround)).toEqual(one.data[0]?.embedding);
  });

  it('embeddings of 100 texts, and of a large request, fit into one response', async () => {
    const many = await embed({ input: Array.from({ length: 100 }, (_, index) => `text ${index}`) });
    expect(many.status).toBe(200);
    const answered: { data: unknown[] } = JSON.parse(await many.text());
    expect(answered.data).toHaveLength(100);
    const large = await embed({ input: 'ice '.repeat(200_000), dimensions: 8 });
    expect(large.status, await large.text()).toBe(200);
  });

  it('input that Google does not take is refused by name, and ignored fields are named', async () => {
    for (const input of [[1, 2, 3], [[1, 2], [3]], Array.from({ length: 101 }, () => 'a')]) {
      const response = await embed({ input });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { param: 'input' } });
    }
    const named = await embed({ input: 'ice', user: 'me', task: 'x' });
    expect(named.headers.get('x-gateway-ignored')).toBe('user, task');
    await named.body?.cancel();
  });

  it('embeddings without a vector for each text are a failure', async () => {
    gateway.provider.script({ rubbish: 'wrong_shape' });
    const response = await embed({ input: 'ice' });
    expect(response.status).toBe(502);
    await response.body?.cancel();
  });
});

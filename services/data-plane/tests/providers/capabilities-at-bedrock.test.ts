import { withGateway, withStarted } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openAiOf } from '../endpoints/official-clients.ts';
import { awsEnvironment } from './bedrock.ts';
import { json, startScriptedProvider } from './scripted-provider.ts';
import { withoutBreakers } from './without-breakers.ts';

const client = () => openAiOf(gateway);
/** Its responses are what a test wants. */
const liar = withStarted(() => startScriptedProvider());

const ARN = 'arn:aws:bedrock:eu-central-1::foundation-model/amazon.sim-rerank-v1:0';
const EMBED = { capability: 'embeddings', pricing: { input_per_million_usd: '1' } } as const;
const RANK = { capability: 'rerank', pricing: { search_unit_usd: '0.002' } } as const;
const MODELS = {
  'bedrock/titan': { ...EMBED, model: 'amazon.titan-embed-text-sim-v2:0' },
  'bedrock/embed': { ...EMBED, model: 'cohere.embed-sim-v4:0' },
  'bedrock/unheard-of': { ...EMBED, model: 'acme.embed-v1:0' },
  'bedrock/cohere': { ...RANK, model: 'cohere.sim-rerank-v1:0' },
  'bedrock/amazon': { ...RANK, model: 'amazon.sim-rerank-v1:0' },
  'bedrock/arn': { ...RANK, model: ARN },
};

beforeAll(async () => {
  for (const [name, value] of Object.entries(awsEnvironment('AKIDCAPABILITIES'))) vi.stubEnv(name, value);
});
const gateway = withGateway(() => ({
  document: (baseUrl) => ({
    providers: Object.entries({ bedrock: baseUrl, liar: liar.baseUrl }).map(([id, base]) => ({
      id,
      name: id,
      kind: 'bedrock' as const,
      region: 'eu-central-1',
      base_url: new URL(base).origin,
    })),
    models: Object.entries(MODELS).flatMap(([id, { model, ...common }]) =>
      ['bedrock', 'liar'].map((provider) => ({
        ...common,
        id: id.replace('bedrock', provider),
        name: id,
        tier: 'paid' as const,
        upstreams: [{ provider, model }],
      })),
    ),
  }),
  overrides: withoutBreakers(),
}));
afterAll(() => void vi.unstubAllEnvs());

const post = (path: string, request: object) => gateway.post(path, request);

async function answered(path: string, request: object): Promise<unknown> {
  const { body, status } = await gateway.ask(path, request);
  expect(status, body).toBe(200);
  return JSON.parse(body);
}

const lastRequest = () => gateway.provider.requests.at(-1);

describe('embeddings on Bedrock', () => {
  it('Titan embeds one text, with the tokens of its response', async () => {
    const asked = { model: 'bedrock/titan', input: ['ice'], dimensions: 256 };
    const {
      data: { data, usage },
      response,
    } = await client().embeddings.create(asked).withResponse();
    expect(await gateway.receiptOf(response)).toMatchObject({ usage_source: 'provider' });
    expect(data[0]?.embedding).toHaveLength(256);
    expect(usage.prompt_tokens).toBe(1);
    expect(lastRequest()).toMatchObject({
      path: `/model/${encodeURIComponent(MODELS['bedrock/titan'].model)}/invoke`,
      body: { inputText: 'ice', dimensions: 256 },
      headers: { authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 /) },
    });
    const floats = { ...asked, input: 'ice', encoding_format: 'float' } as const;
    const again = await client().embeddings.create(floats);
    expect(again.data[0]?.embedding.map(Math.fround)).toEqual(data[0]?.embedding);
  });

  it("Titan's embeddings refuse several texts, or tokens, by name", async () => {
    for (const input of [['ice', 'snow'], [1, 2], [[1]]]) {
      const response = await post('embeddings', { model: 'bedrock/titan', input });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { param: 'input', message: expect.stringContaining('"bedrock/titan"') },
      });
    }
    expect(gateway.provider.requests).toEqual([]);
  });

  it('Cohere embeds each text in order, with the tokens of a header', async () => {
    const asked = { model: 'bedrock/embed', input: ['snow', 'ice'], dimensions: 512 };
    const {
      data: { data, usage },
      response,
    } = await client().embeddings.create(asked).withResponse();
    expect(await gateway.receiptOf(response)).toMatchObject({ usage_source: 'provider' });
    expect(data.map(({ embedding, index }) => [index, embedding.length])).toEqual([
      [0, 512],
      [1, 512],
    ]);
    expect(usage.prompt_tokens).toBe(2);
    expect(lastRequest()?.body).toEqual({
      texts: ['snow', 'ice'],
      input_type: 'search_document',
      embedding_types: ['float'],
      truncate: 'NONE',
      output_dimension: 512,
    });
  });

  it.each(['bedrock/titan', 'bedrock/embed'])(
    'embeddings of %s without plausible usage are estimated',
    async (model) => {
      for (const usage of ['missing', 'absurd', 'worded'] as const) {
        gateway.provider.script({ usage });
        const response = await post('embeddings', { model, input: 'a glacier of ice' });
        expect(await response.json()).toMatchObject({ usage: { prompt_tokens: 4 } });
        expect(await gateway.receiptOf(response)).toMatchObject({ usage_source: 'estimated' });
      }
    },
  );

  it.each([
    ['no vector', { embedding: [] }],
    ['words in a vector', { embedding: ['1'] }],
    ['too few vectors', { embeddings: { float: [[1]] } }],
    ['no embeddings', {}],
  ])('embeddings fail when the response has %s', async (_title, answer) => {
    liar.respond = json(200, JSON.stringify(answer));
    const response = await post('embeddings', { model: 'liar/embed', input: ['a', 'b'] });
    expect(response.status).toBe(502);
  });

  it('embeddings of an unknown model family are refused', async () => {
    const response = await post('embeddings', { model: 'bedrock/unheard-of', input: 'ice' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param: 'model' } });
  });
});

const ranking = z.looseObject({
  results: z.array(z.looseObject({ index: z.int(), document: z.object({ text: z.string() }).optional() })),
  meta: z.looseObject({ billed_units: z.object({ search_units: z.int() }) }),
});
const DOCUMENTS = ['bread and butter', { text: 'a glacier is ice' }, 'ice'];

describe('rerank on Bedrock', () => {
  it.each(['bedrock/cohere', 'bedrock/amazon', 'bedrock/arn'])(
    '%s ranks the documents, and costs its searches',
    async (model) => {
      const request = { model, query: 'glacier ice', documents: DOCUMENTS, top_n: 2, return_documents: true };
      const { meta, results } = ranking.parse(await answered('rerank', request));
      expect(results).toHaveLength(2);
      expect(results[0]).toMatchObject({ index: 1, document: { text: 'a glacier is ice' } });
      expect(meta.billed_units.search_units).toBe(1);
      expect(lastRequest()?.headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
    },
  );

  it("rerank sends the model's own body to InvokeModel, and the agents' body to Rerank", async () => {
    await answered('rerank', { model: 'bedrock/cohere', query: 'q', documents: ['a'] });
    expect(lastRequest()?.body).toEqual({ query: 'q', documents: ['a'], api_version: 2 });
    await answered('rerank', { model: 'bedrock/arn', query: 'q', documents: ['a', 'b'] });
    expect(lastRequest()).toMatchObject({
      path: '/rerank',
      body: {
        queries: [{ textQuery: { text: 'q' } }],
        rerankingConfiguration: {
          bedrockRerankingConfiguration: { modelConfiguration: { modelArn: ARN }, numberOfResults: 2 },
        },
      },
    });
  });

  it.each([
    ['max_tokens_per_doc', 10],
    ['rank_fields', ['title']],
  ])('rerank refuses %s by name', async (param, value) => {
    const response = await post('rerank', {
      model: 'bedrock/amazon',
      query: 'q',
      documents: ['a'],
      [param]: value,
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param } });
  });

  it.each([
    ['a document that was not sent', { results: [{ index: 7, relevance_score: 1 }] }],
    ['no score', { results: [{ index: 0 }] }],
    ['no results', { ranks: [] }],
  ])('rerank fails when the response has %s', async (_title, answer) => {
    liar.respond = json(200, JSON.stringify(answer));
    const response = await post('rerank', { model: 'liar/cohere', query: 'q', documents: ['a'] });
    expect(response.status).toBe(502);
  });
});

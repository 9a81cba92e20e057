import { withGateway, withStarted } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { z } from 'zod';

import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { type Recording, readRecordings } from './read-recordings.ts';
import { RECORDED_PROVIDERS } from './recorded-providers.ts';

const INPUT_PICODOLLARS = 2_000_003n;
const SEARCH_NANO_USD = 2_000_001n;

const server = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => ({
  document: () => {
    const providers = (['Bedrock', 'Cohere'] as const).flatMap((name) => {
      const { origin } = new URL(server.baseUrl);
      const provider = RECORDED_PROVIDERS[name]?.provider(origin);
      return provider === undefined ? [] : { id: name.toLowerCase(), name, ...provider };
    });
    const model = (id: string, upstream = 'recorded') => ({
      id,
      name: id,
      tier: 'paid' as const,
      upstreams: [{ provider: id.split('/')[0] ?? '', model: upstream }],
    });
    const rerank = { capability: 'rerank' as const, pricing: { search_unit_usd: '0.002000001' } };
    const reranker = 'arn:aws:bedrock:us-west-2::foundation-model/cohere.rerank-v3-5:0';
    return {
      providers,
      models: [
        { ...model('bedrock/rerank', reranker), ...rerank },
        { ...model('cohere/rerank'), ...rerank },
        {
          ...model('cohere/embed'),
          capability: 'embeddings',
          pricing: { input_per_million_usd: '2.000003' },
        },
      ],
    };
  },
}));

const recordings = (folder: string, member: string) =>
  readRecordings(folder).filter(
    ({ isStreamed, pieces }) => !isStreamed && member in Object(JSON.parse(pieces[0] ?? '')),
  );
const wholeOf = ({ pieces }: Recording): unknown => JSON.parse(pieces[0] ?? '');

async function ask(recording: Recording, path: string, body: object) {
  server.respond = (res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).end(recording.pieces[0]);
  };
  const response = await gateway.post(path, body);
  const { charged } = await gateway.recordOf(response);
  return { charged, body: await response.json() };
}

const ranking = z.object({
  results: z.array(
    z
      .object({
        index: z.int(),
        relevance_score: z.number().optional(),
        relevanceScore: z.number().optional(),
      })
      .transform(({ index, relevance_score, relevanceScore = relevance_score }) => ({
        index,
        relevance_score: relevanceScore,
      })),
  ),
  meta: z.object({ billed_units: z.object({ search_units: z.int() }) }).optional(),
});

const rankings = [
  ...recordings('amazon-bedrock', 'results').map((one) => ({ ...one, model: 'bedrock/rerank' })),
  ...recordings('cohere', 'results').map((one) => ({ ...one, model: 'cohere/rerank' })),
];

it.each(rankings)(
  'a recorded ranking keeps all results, and costs its searches: $model, $name',
  async (one) => {
    const { meta, results } = ranking.parse(wholeOf(one));
    const documents = Array.from({ length: Math.max(...results.map(({ index }) => index)) + 1 }, () => 'a');
    const { body, charged } = await ask(one, 'rerank', { model: one.model, query: 'a', documents });
    expect(body).toMatchObject({ results });
    expect(charged).toBe(BigInt(meta?.billed_units.search_units ?? 1) * SEARCH_NANO_USD);
  },
);

const embeddings = z.object({
  texts: z.array(z.string()),
  embeddings: z.object({ float: z.array(z.array(z.number())) }),
  meta: z.object({ billed_units: z.object({ input_tokens: z.int() }) }),
});

it.each(recordings('cohere', 'embeddings'))(
  'recorded embeddings of Cohere keep all vectors, and cost what Cohere bills: $name',
  async (one) => {
    const { embeddings: vectors, meta, texts } = embeddings.parse(wholeOf(one));
    const { input_tokens: input } = meta.billed_units;
    const { body, charged } = await ask(one, 'embeddings', { model: 'cohere/embed', input: texts });
    expect(body).toMatchObject({
      data: vectors.float.map((embedding, index) => ({ index, embedding })),
      usage: { prompt_tokens: input, total_tokens: input },
    });
    expect(charged).toBe((BigInt(input) * INPUT_PICODOLLARS + 999n) / 1_000n);
  },
);

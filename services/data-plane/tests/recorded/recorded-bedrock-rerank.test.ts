import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Books, openBooks, postJson, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { usageOf } from '../money/money-fixture.ts';
import { startReplayingRuntime } from './recorded-bedrock.ts';

/** Rankings as Bedrock really gave them, by its operation Rerank. */

const folder = join(process.env.RECORDED_ANSWERS ?? '', 'amazon-bedrock');
const isThere = (process.env.RECORDED_ANSWERS ?? '') !== '' && existsSync(folder);
const recorded = (isThere ? globSync(join(folder, '*.json')) : [])
  .map((file) => ({ name: basename(file), content: { text: readFileSync(file, 'utf8') } }))
  .filter(({ content }) => 'results' in Object(JSON.parse(content.text)));

const SEARCH_NANO_USD = 2_000_001n;
const ranking = z.object({ results: z.array(z.object({ index: z.int(), relevanceScore: z.number() })) });

describe.skipIf(!isThere)('a recorded ranking of Bedrock', () => {
  const stack = new AsyncDisposableStack();
  let gateway: TestGateway;
  let books: Books;
  let rawKey: string;
  let runtime: Awaited<ReturnType<typeof startReplayingRuntime>>;

  beforeAll(async () => {
    runtime = stack.use(await startReplayingRuntime());
    gateway = stack.use(
      await startGateway({
        document: () => ({
          providers: [
            {
              id: 'bedrock',
              name: 'Recorded',
              kind: 'bedrock',
              region: 'us-west-2',
              base_url: runtime.baseUrl,
              credential_env: 'SIMULATED_API_KEY',
            },
          ],
          models: [
            {
              id: 'bedrock/rerank',
              name: 'Recorded',
              capability: 'rerank',
              tier: 'paid',
              pricing: { search_unit_usd: '0.002000001' },
              upstreams: [
                {
                  provider: 'bedrock',
                  model: 'arn:aws:bedrock:us-west-2::foundation-model/cohere.rerank-v3-5:0',
                },
              ],
            },
          ],
        }),
      }),
    );
    books = stack.use(openBooks(gateway.databaseUrl));
    ({ rawKey } = await gateway.createKey());
  });
  afterAll(() => stack.disposeAsync());

  it.each(recorded)('has all of its results, and costs one search: $name', async (answer) => {
    runtime.replay(answer);
    const { results } = ranking.parse(JSON.parse(answer.content.text));
    const documents = Array.from({ length: Math.max(...results.map(({ index }) => index)) + 1 }, () => 'a');
    const response = await postJson(gateway.baseUrl, rawKey, 'rerank', {
      model: 'bedrock/rerank',
      query: 'a',
      documents,
    });
    expect(await response.json()).toMatchObject({
      results: results.map(({ index, relevanceScore }) => ({ index, relevance_score: relevanceScore })),
    });
    const { charged } = await usageOf(books, response.headers.get('x-request-id') ?? '');
    expect(charged).toBe(SEARCH_NANO_USD);
  });
});

import { modelEntry, withGateway, withStarted } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { json, startScriptedProvider } from '../providers/scripted-provider.ts';
import { payingKey } from './money-fixture.ts';

const provider = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => ({
  ownPools: true,
  document: () => ({
    providers: [{ id: 'acme', name: 'Acme', kind: 'openai-compatible', base_url: provider.baseUrl }],
    models: [
      modelEntry(
        'acme/rerank',
        { acme: 'rerank' },
        { capability: 'rerank', tier: 'paid', pricing: { search_unit_usd: '0.002' } },
      ),
    ],
  }),
}));

it.each([
  [10, 10n],
  [500_000, 1n],
])('of %i reported search units for a request that reserves one, %i cost', async (search_units, charged) => {
  const { rawKey } = await payingKey(gateway, '1000');
  const results = [{ index: 0, relevance_score: 1 }];
  provider.respond = json(200, JSON.stringify({ results, meta: { billed_units: { search_units } } }));
  const request = { model: 'acme/rerank', query: 'a', documents: ['b'] };
  const answer = await gateway.ask('rerank', request, { key: rawKey });
  expect(answer.status, answer.body).toBe(200);
  expect(await gateway.recordOf(answer)).toMatchObject({ search_units: charged, cost: charged * 2_000_000n });
});

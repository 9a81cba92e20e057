import { until, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { bodyBudgetBounds, createBodyBudget } from '../../src/memory/body-budget.ts';

const MIB = 1024 * 1024;
/** One key has room for a body of this size, and for one translation of it, but not for two. */
const BODY_BYTES = 3 * MIB;
const bodyBudget = createBodyBudget(bodyBudgetBounds(64 * MIB, 2.5 * BODY_BYTES));
const IDS = Array.from({ length: 8 }, (_, index) => `acme/${index}`);

const gateway = withGateway({
  overrides: { bodyBudget },
  document: (base_url) => ({
    providers: [
      {
        ...{ id: 'acme', name: 'Acme', kind: 'openai-compatible', base_url },
        credential_env: 'SIMULATED_API_KEY',
      },
    ],
    models: IDS.map((id) => ({
      ...{ id, name: id, capability: 'chat', tier: 'free' },
      upstreams: [{ provider: 'acme', model: 'sim-chat-free' }],
    })),
  }),
});

it('a large request that is translated for several models in turn takes memory for one translation', async () => {
  gateway.provider.script(...IDS.slice(1).map(() => ({ status: 500 })));
  const response = await gateway.post('messages', {
    models: IDS,
    max_tokens: 5,
    messages: [{ role: 'user', content: 'word '.repeat(BODY_BYTES / 5) }],
  });
  const text = await response.text();
  expect(response.status, text.slice(0, 500)).toBe(200);
  expect(response.headers.get('x-gateway-model')).toBe(IDS.at(-1));
  expect(gateway.provider.requests).toHaveLength(IDS.length);
  await until(() => bodyBudget.usedBytes === 0);
});

import { modelEntry, providerEntry, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { catalogFile } from '../../../../packages/cli/src/catalog-file/index.ts';

const gateway = withGateway();
const words = { id: 'words', kind: 'patterns', patterns: [{ name: 'word', pattern: 'x' }] } as const;
const document = (guardrails: object[], ids: string[] = ['words']) => ({
  providers: [providerEntry('acme', 'http://127.0.0.1:9/v1')],
  models: [modelEntry('acme/small', { acme: 'm' }, { guardrails: ids })],
  guardrails,
});
const apply = (value: object) =>
  gateway.admin.call(10_000, 'catalog', 'applyCatalog', {
    documentJson: JSON.stringify(value),
    dryRun: false,
  });

it('guardrails are stored, changed and removed with the catalog', async () => {
  expect((await apply(document([words]))).guardrails).toMatchObject({ added: ['words'] });
  const shown = catalogFile(await gateway.admin.call(10_000, 'catalog', 'getCatalog', {}));
  expect(shown).toMatchObject({ guardrails: [words], models: [{ guardrails: ['words'] }] });
  expect((await apply(shown)).guardrails).toEqual({ added: [], changed: [], retired: [] });
  expect((await apply(document([{ ...words, hold_back: 10 }]))).guardrails?.changed).toEqual(['words']);
  const { models, providers } = document([]);
  const plain = { providers, models: models.map(({ guardrails: _, ...model }) => model) };
  expect((await apply(plain)).guardrails?.retired).toEqual(['words']);
});

it.each([
  ['an unknown guardrail', document([]), 'no guardrail "words" in this file'],
  [
    'a pattern that RE2 lacks',
    document([{ ...words, patterns: [{ name: 'a', pattern: '(?=x)' }] }]),
    'guardrails[0].patterns[0].pattern',
  ],
  ['two of one id', document([words, words]), 'is listed twice'],
  [
    'a URL with a password',
    document([{ id: 'words', kind: 'http', url: 'http://a:b@c' }]),
    'no user, password',
  ],
  [
    'a secret of the gateway',
    document([{ id: 'words', kind: 'http', url: 'http://c', credential_env: 'ADMIN_TOKEN' }]),
    'secret of the gateway',
  ],
])('a catalog with %s is refused', async (_what, value, words) => {
  await expect(apply(value)).rejects.toThrow(words);
});

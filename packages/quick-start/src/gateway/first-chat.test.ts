import { catalogDocument } from '@model-gateway/shared';
import { expect, it } from 'vitest';
import { chooseChatModel } from './first-chat.ts';

const SIMULATED = 'http://127.0.0.1:8082/v1';
const provider = (id: string, credential_env?: string, base_url = `https://${id}.example/v1`) => ({
  id,
  name: id,
  kind: 'openai-compatible',
  base_url,
  credential_env,
});
const model = (id: string, of: string) => ({
  id,
  name: id,
  capability: 'chat',
  tier: 'free',
  upstreams: [{ provider: of, model: 'm' }],
});

it('the first chat uses a model whose provider has its key, if there is one', () => {
  const catalog = catalogDocument.parse({
    providers: [provider('acme', 'ACME_API_KEY'), provider('other', 'OTHER_API_KEY')],
    models: [model('acme/small', 'acme'), model('other/small', 'other')],
  });
  const chosen = (environment: Record<string, string>) =>
    chooseChatModel(catalog, SIMULATED, environment)?.id;
  expect(chosen({})).toBe('acme/small');
  expect(chosen({ OTHER_API_KEY: 'sk-1' })).toBe('other/small');
  expect(chosen({ ACME_API_KEY: 'sk-1', OTHER_API_KEY: 'sk-1' })).toBe('acme/small');
});

it('the first chat uses the simulated model, if the catalog has it', () => {
  const catalog = catalogDocument.parse({
    providers: [provider('acme', 'ACME_API_KEY'), provider('simulated', undefined, SIMULATED)],
    models: [model('acme/small', 'acme'), model('simulated/small', 'simulated')],
  });
  expect(chooseChatModel(catalog, SIMULATED, { ACME_API_KEY: 'sk-1' })?.id).toBe('simulated/small');
});

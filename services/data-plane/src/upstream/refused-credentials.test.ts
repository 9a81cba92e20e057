import { VERDICTS } from '@model-gateway/dialects';
import { expect, it } from 'vitest';
import { RefusedCredentials } from './refused-credentials.ts';

const used = { providerId: 'acme', credentialEnv: 'ACME_KEY' };
const attempt = (upstreamModel: string) => ({ httpStatus: 401, upstreamModel });
const refused = { ...VERDICTS.interrupted, credential: 'refused' } as const;
const refusedForModel = { ...VERDICTS.interrupted, credential: 'refused_for_model' } as const;

it('refusals are counted from the first on, until the provider accepts the credential', () => {
  const credentials = new RefusedCredentials();
  credentials.note(refused, used, attempt('one'), 1_000);
  credentials.note(refused, used, attempt('two'), 3_000);
  expect(credentials.list()).toEqual([
    {
      providerId: 'acme',
      variable: 'ACME_KEY',
      model: '',
      httpStatus: 401,
      refusals: 2,
      sinceMs: 1_000,
      lastMs: 3_000,
    },
  ]);
  credentials.accepted('acme', 'OTHER_KEY', 'one');
  expect(credentials.list()).toHaveLength(1);
  credentials.accepted('acme', 'ACME_KEY', 'three');
  expect(credentials.list()).toEqual([]);
});

it('a refusal for one model stays while the provider accepts the credential for others', () => {
  const credentials = new RefusedCredentials();
  credentials.note(refusedForModel, used, attempt('one'), 1_000);
  credentials.accepted('acme', 'ACME_KEY', 'two');
  expect(credentials.list()).toMatchObject([{ model: 'one', refusals: 1 }]);
  credentials.accepted('acme', 'ACME_KEY', 'one');
  expect(credentials.list()).toEqual([]);
});

it('other failures are not counted, and changed credentials and removed providers are forgotten', () => {
  const credentials = new RefusedCredentials();
  credentials.note({ ...VERDICTS.interrupted, credential: 'limited' }, used, attempt('one'));
  expect(credentials.list()).toEqual([]);
  credentials.note(refused, used, attempt('one'));
  credentials.forget('acme');
  expect(credentials.list()).toEqual([]);
  credentials.note(refused, used, attempt('one'));
  credentials.keepOnly(new Map());
  expect(credentials.list()).toEqual([]);
});

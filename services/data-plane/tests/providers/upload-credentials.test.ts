import { withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { ProviderCredentials } from '../../src/upstream/provider-credentials.ts';

const VALUES: Record<string, string> = {
  FIRST_KEY: 'first-credential-0123',
  SECOND_KEY: 'second-credential-0123',
};
/** Longer than a refused credential is left alone. */
const RESTED_MS = 60_000;
const clock = { ms: 0 };

const gateway = withGateway({
  provider: { apiKey: Object.values(VALUES) },
  environment: VALUES,
  overrides: {
    credentials: new ProviderCredentials(
      (variable) => VALUES[variable],
      () => clock.ms,
    ),
  },
  document: (baseUrl) => ({
    providers: [
      {
        ...{ id: 'own', name: 'Own', kind: 'openai-compatible', base_url: baseUrl },
        credential_env: Object.keys(VALUES),
      },
    ],
    models: [
      {
        ...{ id: 'own/upload', name: 'Upload', capability: 'transcription', tier: 'free' },
        upstreams: [{ provider: 'own', model: 'sim-transcribe-free' }],
      },
    ],
  }),
});

async function transcribe(body: FormData | object): Promise<number> {
  return (await gateway.ask('audio/transcriptions', body)).status;
}

/** Sends an upload, which the gateway streams through and can send only once. */
function upload(): Promise<number> {
  const form = new FormData();
  form.set('model', 'own/upload');
  form.set('file', new Blob([new Uint8Array(3_000_000)]), 'a.wav');
  return transcribe(form);
}

/** Sends the file in JSON, which the gateway buffers and can send again. */
function whole(): Promise<number> {
  const file = { data: 'UklGRg==', filename: 'a.wav' };
  return transcribe({ model: 'own/upload', file });
}

const asked = () => gateway.provider.requests.map(({ headers }) => headers.authorization);

it('a rejected credential is tried again by a request that can be sent twice, never by an upload', async () => {
  gateway.provider.revokeKey(VALUES.FIRST_KEY ?? '');
  expect([await whole(), await whole()]).toEqual([200, 200]);
  expect(asked()).toContain(`Bearer ${VALUES.FIRST_KEY}`);
  clock.ms += RESTED_MS;
  gateway.provider.clear();
  for (let count = 0; count < 3; count++) expect(await upload()).toBe(200);
  expect(new Set(asked())).toEqual(new Set([`Bearer ${VALUES.SECOND_KEY}`]));
  expect(await whole()).toBe(200);
  expect(asked()).toContain(`Bearer ${VALUES.FIRST_KEY}`);
});

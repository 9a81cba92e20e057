import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CatalogDocumentInput, catalogDocument } from '@model-gateway/shared';
import { startSimulatedProvider } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { offerUsableModels } from '../src/catalog/usable-models.ts';

const KEY = 'sk-simulated';

function bundle(base_url: string, ...upstreams: string[]) {
  const document: CatalogDocumentInput = {
    providers: [
      { id: 'acme', name: 'Acme AI', kind: 'openai-compatible', base_url, credential_env: 'ACME_API_KEY' },
    ],
    models: upstreams.map((model) => ({
      id: `acme/${model}`,
      name: model,
      capability: 'chat',
      tier: 'free',
      upstreams: [{ provider: 'acme', model }],
    })),
  };
  return { name: 'acme', document: catalogDocument.parse(document) };
}

async function offer(of: ReturnType<typeof bundle>, ACME_API_KEY = KEY, deadlineMs = 10_000) {
  const { bundle: offered, notes } = await offerUsableModels(of, { ACME_API_KEY }, deadlineMs);
  return { models: offered.document.models.map(({ name }) => name), notes };
}

it('models that the key cannot use are not offered, and models of unknown price are named in one line', async () => {
  await using provider = await startSimulatedProvider({ apiKey: KEY, tokenDelayMs: 0 });
  const { models, notes } = await offer(bundle(provider.baseUrl, 'sim-chat-free', 'sim-chat-retired'));
  expect(models).toEqual(['sim-chat-free']);
  expect(notes).toEqual([
    'Acme AI: your key cannot use these bundled models, so they are not offered: sim-chat-retired.',
    expect.stringMatching(
      /^Acme AI: your key can also use models without a known price, not offered: \S+, .* more \(gatewayctl catalog check lists them\)\.$/,
    ),
  ]);
  expect(notes.join()).not.toContain(KEY);
});

it('all bundled models are offered if the provider refuses, lists none of them, is away or is slow', async () => {
  await using provider = await startSimulatedProvider({ apiKey: KEY, tokenDelayMs: 0 });
  const because = (reason: string) => ({
    models: ['a', 'b'],
    notes: [`Acme AI: all bundled models are offered, because ${reason}.`],
  });
  const models = ['a', 'b'];
  expect(await offer(bundle(provider.baseUrl, ...models), 'wrong')).toEqual(
    because('the provider answered 401'),
  );
  expect(await offer(bundle(provider.baseUrl, ...models))).toEqual(
    because('the provider lists none of them'),
  );
  expect(await offer(bundle('http://127.0.0.1:9/v1', ...models))).toEqual(
    because('the provider cannot be reached'),
  );
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  expect(await offer(bundle(`http://127.0.0.1:${port}/v1`, ...models), KEY, 200)).toEqual(
    because('the provider did not answer within 0.2 s'),
  );
  silent.closeAllConnections();
  silent.close();
});

it('a list without an end is given up, and names that would move a cursor are left out', async () => {
  const models = ['a', 'b'];
  let sent = 0;
  const hostile = createServer((request, response) => {
    if (request.url?.startsWith('/endless') !== true)
      return response.end(JSON.stringify({ data: [{ id: 'a' }, { id: '\u001b[2Jc' }] }));
    response.write('{"data":[{"id":"');
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
    };
    response.on('drain', write);
    return write();
  }).listen(0, '127.0.0.1');
  await once(hostile, 'listening');
  const { port } = hostile.address() as AddressInfo;
  expect((await offer(bundle(`http://127.0.0.1:${port}/endless`, ...models))).notes).toEqual([
    'Acme AI: all bundled models are offered, because the provider sent no list of models.',
  ]);
  expect(sent).toBeLessThan(64 * 1024 * 1024);
  expect((await offer(bundle(`http://127.0.0.1:${port}`, ...models))).notes).toEqual([
    'Acme AI: your key cannot use these bundled models, so they are not offered: b.',
  ]);
  hostile.closeAllConnections();
  hostile.close();
});

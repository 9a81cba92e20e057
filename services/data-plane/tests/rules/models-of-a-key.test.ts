import { withStarted } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { startRuledGateway } from './ruled-gateway.ts';
import { createRuledKey, type LevelRules } from './ruled-key.ts';

const ruled = withStarted(() => startRuledGateway());
const VERSION = { 'anthropic-version': '2023-06-01' };

async function readerWith(rules: LevelRules) {
  const { rawKey } = await createRuledKey(ruled.gateway, rules);
  return (path: string, init: RequestInit = {}) =>
    fetch(`${ruled.gateway.baseUrl}/v1/models${path}`, {
      ...init,
      headers: { authorization: `Bearer ${rawKey}`, 'accept-encoding': 'identity', ...init.headers },
    });
}
const idsOf = async (answer: Response): Promise<string[]> =>
  JSON.parse(await answer.text()).data.map(({ id }: { id: string }) => id);

describe('GET /v1/models with a key', () => {
  it('lists only models that the rules of all its levels allow', async () => {
    const list = await readerWith({
      key: { models: ['*/small', 'beta/*'] },
      team: { providers: ['other', 'claude'] },
      account: { endpoints: ['chat', 'embeddings'] },
    });
    expect(await idsOf(await list(''))).toEqual(['auto/any', 'beta/embed', 'beta/large', 'beta/small']);
    expect(await idsOf(await list('?capability=chat&q=large'))).toEqual(['beta/large']);
    expect(await idsOf(await list('', { headers: VERSION }))).toEqual([
      'auto/any',
      'beta/large',
      'beta/small',
    ]);
    expect(await idsOf(await list('?limit=1&after_id=auto/any', { headers: VERSION }))).toEqual([
      'beta/large',
    ]);
    const auto = JSON.parse(await (await list('/any')).text());
    expect(auto).toMatchObject({
      id: 'auto/any',
      models: [{ model: 'beta/small' }],
      fallbacks: ['beta/large'],
    });
    for (const [path, headers] of [
      ['/beta/large', {}],
      ['/beta%2Flarge', {}],
      ['/beta/large', VERSION],
    ] as const)
      expect((await list(path, { headers })).status).toBe(200);
    for (const path of ['/acme/small', '/small', '/acme%2Flarge', '/acme/image', '/beta/speech'])
      expect((await list(path)).status).toBe(404);
  });

  it('has an ETag of its own, is private, and is 304 for a copy', async () => {
    const list = await readerWith({ key: { models: ['beta/*'] } });
    const answer = await list('');
    const etag = answer.headers.get('etag') ?? '';
    expect(answer.headers.get('cache-control')).toBe('private, max-age=5');
    expect((await list('', { headers: { 'if-none-match': etag } })).status).toBe(304);
    const head = await list('', { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
    const whole = await fetch(`${ruled.gateway.baseUrl}/v1/models`, {
      headers: { 'accept-encoding': 'identity' },
    });
    expect(whole.headers.get('etag')).not.toBe(etag);
    expect(await idsOf(whole)).toHaveLength(19);
    // Another key with equal rules gets the same list.
    const other = await readerWith({ account: { models: ['beta/*'] } });
    expect((await other('')).headers.get('etag')).toBe(etag);
  });

  it('is not filtered by rules that name no models, and is empty for a list without entries', async () => {
    const labels = await readerWith({
      key: { require_tags: ['project'], require_end_user: true, streams: 1 },
    });
    expect(await idsOf(await labels(''))).toHaveLength(19);
    const nothing = await readerWith({ key: { providers: [] } });
    expect(await idsOf(await nothing(''))).toEqual([]);
  });

  it('takes rules of any length, on one connection after another', async () => {
    const globs = Array.from({ length: 199 }, (_, index) => `${'ü'.repeat(200)}${index}*`);
    const models = [...globs, 'beta/*'];
    const list = await readerWith({
      key: { models },
      team: { models },
      account: { models, providers: [...globs, '*'] },
    });
    for (let time = 0; time < 5; time++) {
      expect(await idsOf(await list(''))).toContain('beta/large');
      expect((await list('/acme/small')).status).toBe(404);
    }
    expect((await list('', { method: 'POST', body: '{}' })).status).toBe(405);
  });

  it('refuses a wrong query in the form of the client', async () => {
    const list = await readerWith({ key: { models: ['beta/*'] } });
    expect((await list('?tier=cheap')).status).toBe(400);
    expect(await (await list('?limit=0', { headers: VERSION })).text()).toContain('"type":"error"');
  });
});

it('the catalog service takes rules from data planes only', async () => {
  const url = `http://127.0.0.1:${ruled.gateway.catalog?.port}/v1/models`;
  const body = JSON.stringify({ models: [], providers: [], endpoints: [] });
  for (const path of ['', '/beta/large']) {
    const answer = await fetch(url + path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-gateway-internal-token': 'guess' },
    });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    await answer.text();
  }
});

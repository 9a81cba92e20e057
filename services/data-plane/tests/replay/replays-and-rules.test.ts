import { chatBody, envelopeOf, modelEntry, providerEntry, until, withGateway } from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';
import { createRuledKey } from '../rules/ruled-key.ts';
import { setRules } from '../rules/set-rules.ts';

const redisUrl = inject('redis')?.url ?? '';
const BOTH = { one: 'sim-chat-free', two: 'sim-chat-pro' };

function catalog(baseUrl: string, upstreams: Readonly<Record<string, string>> = BOTH) {
  return {
    providers: ['one', 'two'].map((id) => providerEntry(id, baseUrl)),
    models: [
      modelEntry('acme/chat', upstreams, { aliases: ['chat'], fallbacks: ['beta/chat'] }),
      modelEntry('beta/chat', { two: 'sim-chat-pro' }),
    ],
  };
}

describe.skipIf(redisUrl === '')('an answer that is sent again', () => {
  let providerUrl = '';
  const gateway = withGateway({
    redisUrl,
    document: (baseUrl) => {
      providerUrl = baseUrl;
      return catalog(baseUrl);
    },
  });
  const ask = (key: string, headers: Record<string, string>, content = 'hi') =>
    gateway.ask('chat/completions', chatBody({ model: 'acme/chat', messages: [{ role: 'user', content }] }), {
      key,
      headers,
    });
  const cached = async (key: string, content?: string) => {
    const answer = await ask(key, { 'x-gateway-cache': 'read, write' }, content);
    return answer.status === 200 ? answer.headers.get('x-gateway-cache') : answer.status;
  };
  const repeated = async (key: string) => {
    const answer = await ask(key, { 'idempotency-key': 'the-same' });
    return answer.status === 200 ? answer.headers.get('idempotency-replayed') : envelopeOf(answer).code;
  };

  it.each([
    ['model', { models: ['other/*'] }, 403],
    ['provider', { providers: ['two'] }, 'miss'],
  ])('is not sent with a key whose rules forbid its %s', async (_, rules, outcome) => {
    const { accountId, rawKey } = await gateway.createKey();
    const ruled = await createRuledKey(gateway, { key: rules }, accountId);
    expect([await cached(rawKey), await cached(rawKey)]).toEqual(['miss', 'hit']);
    expect(await cached(ruled.rawKey)).toBe(outcome);
    expect([await repeated(rawKey), await repeated(rawKey)]).toEqual([null, 'true']);
    expect(await repeated(ruled.rawKey)).toBe('model_not_allowed');
  });

  it.each(['account', 'seat', 'team'] as const)('follows later rules of the %s', async (level) => {
    const { id, rawKey } = await createRuledKey(gateway, { [level]: { models: null } });
    expect([await cached(rawKey), await repeated(rawKey)]).toEqual(['miss', null]);
    const [owners] = await gateway.books.query(
      `SELECT k.account_id AS account, s.id AS seat, s.team_id AS team
        FROM api_keys k LEFT JOIN seats s ON s.id = k.seat_id WHERE k.id = '${id}'`,
    );
    await setRules(gateway, { kind: level, id: String(owners?.[level]) }, { providers: ['two'] });
    expect([await repeated(rawKey), await cached(rawKey)]).toEqual(['model_not_allowed', 'miss']);
  });

  it('by a fallback is not sent with a key whose rules forbid the fallback', async () => {
    const { accountId, rawKey } = await gateway.createKey();
    const ruled = await createRuledKey(gateway, { key: { models: ['acme/*'] } }, accountId);
    gateway.provider.script({ status: 503 }, { status: 503 });
    const first = await ask(rawKey, { 'idempotency-key': 'the-same' });
    expect([first.status, first.headers.get('x-gateway-model')]).toEqual([200, 'beta/chat']);
    expect([await repeated(rawKey), await repeated(ruled.rawKey)]).toEqual(['true', 'model_not_allowed']);
  });

  it('from the cache obeys the same rules when it is repeated', async () => {
    const { accountId, rawKey } = await gateway.createKey();
    const ruled = await createRuledKey(gateway, { key: { providers: ['two'] } }, accountId);
    await cached(rawKey);
    const both = { 'x-gateway-cache': 'read', 'idempotency-key': 'the-same' };
    expect((await ask(rawKey, both)).headers.get('x-gateway-cache')).toBe('hit');
    expect(await repeated(ruled.rawKey)).toBe('model_not_allowed');
  });

  it('is not sent with a revoked key', async () => {
    const { id, rawKey } = await gateway.createKey();
    expect([await cached(rawKey), await repeated(rawKey)]).toEqual(['miss', null]);
    await gateway.revokeKey(id);
    expect([await cached(rawKey), await repeated(rawKey)]).toEqual([401, 'invalid_api_key']);
  });

  it('is purged by an alias of its model', async () => {
    const { rawKey } = await gateway.createKey();
    await cached(rawKey);
    const url = `${gateway.baseUrl}/v1/cache?model=chat`;
    await fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${rawKey}` } });
    expect(await cached(rawKey)).toBe('miss');
  });

  it('is no longer in the cache once its model has another upstream, or is gone', async () => {
    const { rawKey } = await gateway.createKey();
    expect([await cached(rawKey), await cached(rawKey)]).toEqual(['miss', 'hit']);
    for (const upstreams of [{ one: 'sim-chat-pro' }, { two: 'sim-chat-pro' }]) {
      await gateway.applyCatalog(catalog(providerUrl, upstreams));
      await until(async () => (await cached(rawKey)) === 'miss');
      expect(await cached(rawKey)).toBe('hit');
    }
    const { models, ...rest } = catalog(providerUrl);
    await gateway.applyCatalog({ ...rest, models: models.slice(1) });
    await until(async () => (await cached(rawKey)) === 404);
  });
});

import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, inject, it } from 'vitest';

const redisUrl = inject('redis')?.url ?? '';
const CALL_MS = 30_000;

describe.skipIf(redisUrl === '')('a key with directives of the cache', () => {
  const gateway = withGateway({ redisUrl });
  const createKey = async (cache: string, account?: string) => {
    const request = { account: account ?? (await gateway.createAccount()), name: 'cached', cache };
    const { key, rawKey } = await gateway.admin.call(CALL_MS, 'accounts', 'createKey', request);
    return { accountId: request.account, keyId: key?.id ?? '', rawKey };
  };
  const setCache = (keyId: string, cache: string) =>
    gateway.admin.call(CALL_MS, 'accounts', 'changeKey', { keyId, cache });
  const ask = async (key: string, directives?: string) => {
    const headers = directives === undefined ? {} : { 'x-gateway-cache': directives };
    const members = { model: 'sim/chat-pro', messages: [{ role: 'user', content: 'the same' }] };
    const answer = await gateway.chat(members, { key, headers });
    expect(answer.status).toBe(200);
    return answer.headers.get('x-gateway-cache');
  };

  it('has them for requests without the header, and no other key of its account has', async () => {
    const { accountId, rawKey } = await createKey('read, write; ttl=600');
    const other = await gateway.createKey(accountId);
    expect([await ask(rawKey), await ask(rawKey), await ask(other.rawKey)]).toEqual(['miss', 'hit', null]);
    expect(gateway.provider.requests).toHaveLength(2);
  });

  it('leaves the last word to the header', async () => {
    const { rawKey } = await createKey('read, write');
    expect([await ask(rawKey, 'read'), await ask(rawKey, 'off'), await ask(rawKey)]).toEqual([
      'miss',
      'bypass',
      'miss',
    ]);
    expect([await ask(rawKey, 'write'), await ask(rawKey, 'off'), await ask(rawKey)]).toEqual([
      'miss',
      'bypass',
      'hit',
    ]);
  });

  it('follows a change with its next request, and hands them on when it is rotated', async () => {
    const { keyId, rawKey } = await createKey('read, write');
    expect([await ask(rawKey), await ask(rawKey)]).toEqual(['miss', 'hit']);
    await setCache(keyId, 'write');
    expect(await ask(rawKey)).toBe('miss');
    await setCache(keyId, 'off');
    expect(await ask(rawKey)).toBeNull();
    await setCache(keyId, 'read');
    const rotated = await gateway.admin.call(CALL_MS, 'accounts', 'rotateKey', { keyId, overlapMs: 0 });
    expect(await ask(rotated.rawKey)).toBe('hit');
  });

  it('can have no others than the header takes', async () => {
    await expect(createKey('store')).rejects.toThrow('read, write; ttl=3600');
    const { keyId } = await createKey('read');
    await expect(setCache(keyId, 'read; ttl=0')).rejects.toThrow('read, write; ttl=3600');
  });
});

import { chatBody, postJson, startGateway, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { setRules } from './set-rules.ts';

const gateway = withGateway({ dataPlanes: 2 });

async function askAs(user: string, rawKey: string, at: string): Promise<{ status: number; code?: string }> {
  const response = await postJson(at, rawKey, 'chat/completions', chatBody({ user, max_tokens: 5 }));
  const { error } = JSON.parse(await response.text());
  return { status: response.status, ...(error === undefined ? {} : { code: error.code }) };
}

const ALLOWED = { status: 200 };
const FORBIDDEN = { status: 403, code: 'model_not_allowed' };

it('own rules of an end user replace the template on every data plane as soon as they are set', async () => {
  const { accountId: id, rawKey } = await gateway.createKey();
  const all = (user: string) => Promise.all([0, 1].map((n) => askAs(user, rawKey, gateway.urlOf(n))));
  const ada = { kind: 'end_user', id, endUser: 'ada' };
  expect(await all('ada')).toEqual([ALLOWED, ALLOWED]);
  await setRules(gateway, { kind: 'end_users', id }, { models: ['none/*'] });
  expect(await all('ada')).toEqual([FORBIDDEN, FORBIDDEN]);
  await setRules(gateway, ada, { models: ['sim/*'] });
  expect(await all('ada')).toEqual([ALLOWED, ALLOWED]);
  expect(await all('bob')).toEqual([FORBIDDEN, FORBIDDEN]);
  await setRules(gateway, ada, { models: [] });
  expect(await all('ada')).toEqual([FORBIDDEN, FORBIDDEN]);
  await setRules(gateway, ada, {});
  expect(await all('ada')).toEqual([ALLOWED, ALLOWED]);
  await setRules(gateway, ada, null);
  expect(await all('ada')).toEqual([FORBIDDEN, FORBIDDEN]);
});

it('an end user whose id the database cannot store has the template, as any other', async () => {
  const { accountId: id, rawKey } = await gateway.createKey();
  await setRules(gateway, { kind: 'end_user', id, endUser: 'ada' }, { models: [] });
  expect(await askAs('a\0b', rawKey, gateway.baseUrl)).toEqual(ALLOWED);
});

it("an end user's rules are those of the key's account only", async () => {
  const one = await gateway.createKey();
  const other = await gateway.createKey();
  await setRules(gateway, { kind: 'end_user', id: one.accountId, endUser: 'ada' }, { models: [] });
  await setRules(gateway, { kind: 'end_user', id: other.accountId, endUser: 'bob' }, { models: [] });
  expect(await askAs('ada', one.rawKey, gateway.baseUrl)).toEqual(FORBIDDEN);
  expect(await askAs('ada', other.rawKey, gateway.baseUrl)).toEqual(ALLOWED);
});

it('rules of a key, its account and its team hold on every data plane as soon as they are set', async () => {
  const { accountId, id, rawKey } = await gateway.createKey();
  const all = () => Promise.all([0, 1].map((n) => askAs('ada', rawKey, gateway.urlOf(n))));
  for (const owner of [
    { kind: 'key', id },
    { kind: 'account', id: accountId },
  ]) {
    expect(await all()).toEqual([ALLOWED, ALLOWED]);
    await setRules(gateway, owner, { models: ['none/*'] });
    expect(await all()).toEqual([FORBIDDEN, FORBIDDEN]);
    await setRules(gateway, owner, {});
  }
});

it('while the control plane is gone, an end user whose rules are known is served, and no other', async () => {
  await using own = await startGateway();
  const { accountId: id, rawKey } = await own.createKey();
  await setRules(own, { kind: 'end_user', id, endUser: 'ada' }, { requests_per_minute: 500 });
  expect(await askAs('ada', rawKey, own.baseUrl)).toEqual(ALLOWED);
  await Promise.all(own.controlPlanes.map((controlPlane) => controlPlane.close()));
  expect(await askAs('ada', rawKey, own.baseUrl)).toEqual(ALLOWED);
  expect(await askAs('bob', rawKey, own.baseUrl)).toEqual({ status: 503, code: 'control_plane_unavailable' });
});

import { ControlPlaneClient } from '@model-gateway/contracts';
import { afterEach, expect, it, vi } from 'vitest';
import { createKeyResponse } from '../wire/keys.ts';
import { sessionResponse } from '../wire/session.ts';
import { newAddress, signedUp, withServer } from './server-fixture.ts';

const site = withServer();

afterEach(() => vi.restoreAllMocks());

it('a change names the signed-in user, the address and the id of the request, whatever the browser sends', async () => {
  const email = newAddress();
  const browser = await signedUp(site.server, email);
  const { user } = sessionResponse.parse(await browser.json('/api/session'));
  const callOnce = vi.spyOn(ControlPlaneClient.prototype, 'callOnce');
  const call = vi.spyOn(ControlPlaneClient.prototype, 'call');
  const headers = {
    'x-forwarded-for': '192.0.2.7',
    'x-request-id': 'req_chosen',
    'signed-in-user-bin': 'AAAA',
  };
  const created = await browser.fetch('/api/keys', {
    body: { name: 'CI', accountId: 'acct_other' },
    headers,
  });
  const { key } = createKeyResponse.parse(await created.json());
  const revoked = await browser.fetch(`/api/keys/${key.id}/revoke`, { method: 'POST', headers });
  expect([created.status, revoked.status]).toEqual([201, 200]);
  const userOf = (response: Response) => ({
    accountId: user?.accountId,
    signInId: expect.any(String),
    email,
    clientIp: '192.0.2.7',
    requestId: response.headers.get('x-request-id'),
    viewing: false,
  });
  const changes = [...callOnce.mock.calls, ...call.mock.calls].filter(([, , method]) =>
    /^(create|revoke)/.test(String(method)),
  );
  expect(changes.map((sent) => [sent[2], sent.at(-1)])).toEqual([
    ['createHolderKey', userOf(created)],
    ['revokeHolderKey', userOf(revoked)],
  ]);
});

import { SCOPES } from '@model-gateway/shared/access';
import { expect, it } from 'vitest';
import type { Actor } from '../actors/actor.ts';
import { maskedUrl, webhookFor } from './masked-url.ts';

it.each([
  ['https://hooks.slack.com/services/T0/B0/XXXX', 'https://hooks.slack.com/services…'],
  ['https://example.com:8443/a?token=secret', 'https://example.com:8443/a?token=…'],
  ['https://example.com/webhooks', 'https://example.com/webhooks'],
  ['mailto:operations@example.com', 'mailto:operations@example.com'],
])('%s is shown as %s', (url, shown) => {
  expect(maskedUrl(url)).toBe(shown);
});

it('only those who may change a webhook see its whole URL', () => {
  const webhook = { url: 'https://hooks.slack.com/services/T0/B0/XXXX' };
  const origin = { way: 'dashboard', signInId: 'x', email: 'x@example.com', ip: '', requestId: '' } as const;
  const user = { ...origin, type: 'user', accountId: 'acct_1' } as const;
  const inConsole = { ...origin, type: 'console_user', accountId: undefined } as const;
  const sees = (actor: Actor) => webhookFor(actor, webhook).url === webhook.url;
  expect(sees(user)).toBe(true);
  expect(sees({ ...user, isViewing: true })).toBe(false);
  expect(sees({ ...inConsole, scopes: SCOPES })).toBe(true);
  expect(sees({ ...inConsole, scopes: ['events:read', 'audit:read'] })).toBe(false);
});

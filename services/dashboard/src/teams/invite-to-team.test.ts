import { createLogger } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { DashboardError } from '../errors/dashboard-error.ts';
import { inviteToTeam } from './invite-to-team.ts';

it('the response has the link of an invitation that cannot be mailed', async () => {
  const given = {
    id: 'inv_1',
    teamId: 'team_1',
    email: 'cfo@example.com',
    createdAtMs: '0',
    expiresAtMs: '1',
  };
  const context = {
    config: { publicUrl: 'https://dashboard.example.com', product: { name: 'Acme AI' } },
    changes: {
      inviteToHolderTeam: async () => ({ seat: null, invitation: { invitation: given, token: 'secret' } }),
    },
    reads: {
      listHolderTeams: () => Promise.reject(new DashboardError('service_unavailable', 'Try again.')),
    },
    attemptStore: { count: async () => undefined },
    mailer: { isConfigured: true, send: () => undefined },
    log: createLogger({ service: 'test', level: 'silent', destination: { write: () => undefined } }),
  };
  const owner = { accountId: 'acct_1', email: 'owner@example.com', emailVerified: true };
  const ask = { teamId: 'team_1', email: given.email };
  expect(await inviteToTeam(context, owner, ask)).toMatchObject({
    seatId: null,
    invitation: { link: 'https://dashboard.example.com/invitation#token=secret', isMailed: false },
  });
});

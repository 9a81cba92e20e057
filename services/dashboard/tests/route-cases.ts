import type { AccountRole } from '@model-gateway/shared/access';
import { objectsOf, type Person, type SiteWithSql } from './route-people.ts';
import { newAddress } from './server-fixture.ts';

/** A path, or a path and a body. */
export type Sent = string | readonly [path: string, body: object];
/** Makes a request about a new object. @param of owner of the object @param by sender of the request */
export type Ask = (of: Person, by: Person) => Promise<Sent> | Sent;

export interface Attempt {
  ask: Ask;
  /**
   * `object` (default): names an object; one of another account gets 404. `filter`: one of another account
   * gets an empty list. `plain`: names nothing.
   */
  kind?: 'object' | 'filter' | 'plain';
  /** True if developers may only name objects that they made. */
  isOwn?: boolean;
  /** Least role for this request, if it is higher than that of the route. */
  least?: AccountRole;
}

export interface RouteCase {
  /** HTTP status of an allowed request. */
  status: number;
  /** The first one is also sent without a session. */
  attempts: readonly [Attempt, ...Attempt[]];
  /** True if the request ends the session, or changes the account that it shows. */
  changesSession?: boolean;
}

const asks = (status: number, ...attempts: RouteCase['attempts']): RouteCase => ({ status, attempts });
const plain = (sent: Sent, status = 200) => asks(status, { kind: 'plain', ask: () => sent });
/** A request with an empty body, which is refused only after the session and the role are checked. */
const malformed = (path: string, status = 400) => plain([path, {}], status);
const CHAT = { model: 'sim/chat-free', messages: [{ role: 'user', content: 'Hello' }], maxTokens: 1 };
/** A receiver that is not there. */
const RECEIVER = 'https://receiver.invalid/webhooks';
const PERIOD = `fromMs=0&toMs=${Date.now() + 3_600_000}`;
const DAYS = `width=day&fromMs=${Date.now() - 86_400_000}&toMs=${Date.now() + 3_600_000}`;
const MONTH = `month=${new Date().toISOString().slice(0, 7)}`;

/**
 * Requests of every route of the dashboard, by method and path.
 * @param host owner of another account, which sends invitations
 */
export function routeCases(site: SiteWithSql, host: Person): Record<string, RouteCase> {
  const make = (person: Person) => objectsOf(site, person);
  /** Makes a request for the path of a new object. */
  const one =
    (path: string, idOf: (of: Person) => Promise<string> | string, body?: object): Ask =>
    async (of) => {
      const full = path.replace(/:\w+/, await idOf(of));
      return body === undefined ? full : [full, body];
    };
  const named = (status: number, ask: Ask, ...others: readonly Ask[]) =>
    asks(status, { ask }, ...others.map((other) => ({ ask: other })));
  const webhook = (of: Person) => make(of).webhook();
  const key = (of: Person) => make(of).key();
  const request = (of: Person) => make(of).request();
  const seat = (of: Person) => make(of).seat();
  const team = (of: Person) => make(of).team();
  const isOf = (of: Person, by: Person) => of.account.id === by.account.id;
  return {
    'POST /api/auth/sign-up/email': malformed('/api/auth/sign-up/email'),
    'POST /api/auth/sign-in/email': malformed('/api/auth/sign-in/email'),
    'POST /api/auth/sign-in/code': malformed('/api/auth/sign-in/code'),
    'POST /api/auth/sign-in/passkey/options': malformed('/api/auth/sign-in/passkey/options', 200),
    'POST /api/auth/sign-in/passkey': malformed('/api/auth/sign-in/passkey'),
    'POST /api/auth/sign-in/oauth2': malformed('/api/auth/sign-in/oauth2', 404),
    'GET /api/auth/callback/:provider': plain('/api/auth/callback/unknown', 404),
    'POST /api/auth/sign-out': { ...malformed('/api/auth/sign-out', 200), changesSession: true },
    'POST /api/auth/change-password': malformed('/api/auth/change-password'),
    'GET /api/session': plain('/api/session'),
    'POST /api/password-reset': malformed('/api/password-reset'),
    'POST /api/password-reset/request': malformed('/api/password-reset/request'),
    'POST /api/email-verification': plain(['/api/email-verification', { token: 'x' }], 404),
    'POST /api/email-verification/request': malformed('/api/email-verification/request', 404),
    'GET /api/security': plain('/api/security'),
    'POST /api/security/sessions/end-others': malformed('/api/security/sessions/end-others', 200),
    'POST /api/security/sessions/:sessionId/end': named(
      204,
      one('/api/security/sessions/:id/end', (of) => make(of).session(), {}),
    ),
    'POST /api/security/passkeys/options': malformed('/api/security/passkeys/options', 200),
    'POST /api/security/passkeys': malformed('/api/security/passkeys'),
    'POST /api/security/passkeys/:passkeyId/remove': named(
      204,
      one('/api/security/passkeys/:id/remove', (of) => make(of).passkey(), {}),
    ),
    'POST /api/security/app/start': malformed('/api/security/app/start'),
    'POST /api/security/app/confirm': malformed('/api/security/app/confirm'),
    'POST /api/security/app/turn-off': malformed('/api/security/app/turn-off'),
    'POST /api/security/app/backup-codes': malformed('/api/security/app/backup-codes'),
    'GET /api/re-authentication': plain('/api/re-authentication'),
    'POST /api/re-authentication/password': malformed('/api/re-authentication/password'),
    'POST /api/re-authentication/code': malformed('/api/re-authentication/code'),
    'POST /api/re-authentication/passkey/options': malformed('/api/re-authentication/passkey/options', 200),
    'POST /api/re-authentication/passkey': malformed('/api/re-authentication/passkey'),
    'GET /api/limits': plain('/api/limits'),
    'GET /api/keys': plain('/api/keys'),
    'POST /api/keys': named(201, async (of) => ['/api/keys', { name: 'Key', seatId: await seat(of) }]),
    'POST /api/keys/:keyId/cache': asks(204, {
      ask: one('/api/keys/:id/cache', key, { cache: 'read' }),
      isOwn: true,
    }),
    'POST /api/keys/:keyId/revoke': asks(200, { ask: one('/api/keys/:id/revoke', key, {}), isOwn: true }),
    'GET /api/rules': asks(
      200,
      { ask: one('/api/rules?kind=key&id=:id', key), isOwn: true },
      { ask: one('/api/rules?kind=seat&id=:id', seat) },
      { ask: one('/api/rules?kind=team&id=:id', team) },
      { ask: one('/api/rules?kind=account&id=:id', ({ account }) => account.id), kind: 'filter' },
    ),
    'POST /api/rules': asks(
      200,
      { ask: one('/api/rules?kind=key&id=:id', key, { rules: {} }), isOwn: true },
      { ask: one('/api/rules?kind=seat&id=:id', seat, { rules: {} }), least: 'admin' },
      { ask: one('/api/rules?kind=team&id=:id', team, { rules: {} }), least: 'admin' },
    ),
    'GET /api/account/settings': plain('/api/account/settings'),
    'POST /api/account/mails': plain(['/api/account/mails', { thresholdMails: true }], 204),
    'POST /api/account/calendar': plain(
      ['/api/account/calendar', { timezone: 'UTC', weekStarts: 'monday' }],
      204,
    ),
    'POST /api/account/contents': plain(['/api/account/contents', { days: 7 }], 204),
    'GET /api/usage': asks(
      200,
      { ask: one(`/api/usage?${DAYS}&seatId=:id`, seat) },
      { ask: () => `/api/usage?${DAYS}`, kind: 'plain' },
    ),
    'GET /api/usage.csv': asks(
      200,
      { ask: one(`/api/usage.csv?${DAYS}&seatId=:id`, seat) },
      { ask: () => `/api/usage.csv?${DAYS}`, kind: 'plain' },
    ),
    'GET /api/requests': asks(
      200,
      { ask: one(`/api/requests?${PERIOD}&seatId=:id`, seat) },
      { ask: one(`/api/requests?${PERIOD}&keyId=:id`, key), kind: 'filter' },
      { ask: () => `/api/requests?${PERIOD}`, kind: 'plain' },
      { ask: () => `/api/requests?${PERIOD}&keyId=playground`, kind: 'plain' },
    ),
    'GET /api/requests.csv': asks(
      200,
      { ask: one(`/api/requests.csv?${PERIOD}&seatId=:id`, seat) },
      { ask: one(`/api/requests.csv?${PERIOD}&keyId=:id`, key), kind: 'filter' },
      { ask: () => `/api/requests.csv?${PERIOD}`, kind: 'plain' },
    ),
    'GET /api/requests/:requestId': asks(200, { ask: one('/api/requests/:id', request), isOwn: true }),
    'POST /api/requests/:requestId/contents': named(
      409,
      one('/api/requests/:id/contents', (of) => make(of).contents(), {}),
    ),
    'GET /api/statements': plain(`/api/statements?${MONTH}`),
    'GET /api/statements.csv': plain(`/api/statements.csv?${MONTH}`),
    'GET /api/statements.pdf': plain(`/api/statements.pdf?${MONTH}`),
    'GET /api/teams': plain('/api/teams'),
    'POST /api/teams': plain(['/api/teams', { name: 'Team' }], 201),
    'POST /api/teams/:teamId/limit': named(204, one('/api/teams/:id/limit', team, { requestsPerMinute: 5 })),
    'POST /api/teams/:teamId/seats': named(201, one('/api/teams/:id/seats', team, { email: newAddress() })),
    'POST /api/seats/:seatId/remove': named(200, one('/api/seats/:id/remove', seat, {})),
    'POST /api/money/move': named(
      204,
      async (of, by) => {
        const [fromPoolId, teamId] = [await make(of).pool(), await team(by)];
        return ['/api/money/move', { fromPoolId, usd: '1', to: { teamId } }];
      },
      async (of, by) => {
        const [fromPoolId, teamId] = [await make(by).pool(), await team(of)];
        return ['/api/money/move', { fromPoolId, usd: '1', to: { teamId } }];
      },
      async (of, by) => {
        const [fromPoolId, seatId] = [await make(by).pool(), await seat(of)];
        return ['/api/money/move', { fromPoolId, usd: '1', to: { seatId } }];
      },
    ),
    'GET /api/members': plain('/api/members'),
    'POST /api/members': plain(['/api/members', { email: newAddress(), role: 'viewer' }], 201),
    'POST /api/members/:memberId/role': named(
      204,
      one('/api/members/:id/role', async (of) => (await make(of).offer()).id, { role: 'developer' }),
    ),
    'POST /api/members/:memberId/remove': named(
      200,
      one('/api/members/:id/remove', async (of) => (await make(of).offer()).id, {}),
    ),
    'POST /api/memberships/find': named(200, async (of, by) => {
      const token = isOf(of, by) ? (await make(host).offer(by.email)).token : 'x';
      return ['/api/memberships/find', { token }];
    }),
    'POST /api/memberships/accept': {
      ...named(204, async (of, by) => {
        const { id: invitationId } = await make(host).offer(isOf(of, by) ? by.email : newAddress());
        return ['/api/memberships/accept', { invitationId }];
      }),
      changesSession: true,
    },
    'POST /api/session/view': {
      ...plain(['/api/session/view', { accountId: host.account.id }], 204),
      changesSession: true,
    },
    'POST /api/session/view/end': plain(['/api/session/view/end', {}], 204),
    'POST /api/session/account': named(204, ({ account }) => [
      '/api/session/account',
      { accountId: account.id },
    ]),
    'GET /api/audit-events': plain('/api/audit-events'),
    'GET /api/audit-events.ndjson': plain('/api/audit-events.ndjson'),
    'GET /api/webhooks': plain('/api/webhooks'),
    'POST /api/webhooks': plain(
      ['/api/webhooks', { url: RECEIVER, events: ['key.created'], format: 'standard', description: '' }],
      201,
    ),
    'POST /api/webhooks/:webhookId': named(200, one('/api/webhooks/:webhookId', webhook, { enabled: false })),
    'POST /api/webhooks/:webhookId/remove': named(204, one('/api/webhooks/:webhookId/remove', webhook, {})),
    'POST /api/webhooks/:webhookId/rotate': named(200, one('/api/webhooks/:webhookId/rotate', webhook, {})),
    'POST /api/webhooks/:webhookId/test': named(200, one('/api/webhooks/:webhookId/test', webhook, {})),
    'POST /api/webhooks/:webhookId/redeliver': named(
      200,
      one('/api/webhooks/:webhookId/redeliver', webhook, { sinceMs: 0 }),
    ),
    'GET /api/webhooks/:webhookId/deliveries': named(
      200,
      one('/api/webhooks/:webhookId/deliveries', webhook),
    ),
    'GET /api/management/:operation': plain('/api/management/getFleet'),
    'POST /api/management/:operation': plain(['/api/management/verifyLedger', {}]),
    'GET /api/admin-keys': plain('/api/admin-keys'),
    'POST /api/admin-keys': plain(
      ['/api/admin-keys', { name: 'CI', scopes: ['keys:read'], networks: [] }],
      201,
    ),
    'POST /api/admin-keys/:keyId/revoke': named(
      204,
      one('/api/admin-keys/:id/revoke', (of) => make(of).adminKey(), {}),
    ),
    'POST /api/invitations/find': named(200, async (of, by) => {
      const token = isOf(of, by) ? (await make(host).invitation()).token : 'x';
      return ['/api/invitations/find', { token }];
    }),
    'POST /api/invitations/accept': named(201, async ({ account }) => {
      const { id: invitationId } = await make(host).invitation(account.email);
      return ['/api/invitations/accept', { invitationId }];
    }),
    'POST /api/invitations/:invitationId/withdraw': named(
      204,
      one('/api/invitations/:id/withdraw', async (of) => (await make(of).invitation()).id, {}),
    ),
    'GET /api/status': plain('/api/status'),
    'GET /api/models': plain('/api/models'),
    'GET /api/account/models': plain('/api/account/models'),
    'POST /api/playground/chat': asks(
      200,
      { ask: async (of) => ['/api/playground/chat', { ...CHAT, seatId: await seat(of) }] },
      { ask: () => ['/api/playground/chat', CHAT], kind: 'plain' },
    ),
  };
}

import { gatewayProto } from '@model-gateway/contracts';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { describe, expect, it } from 'vitest';
import { secretTokenHash } from '../../src/accounts/secret-token.ts';
import { ACCOUNT_CASES } from '../fixtures/account-change-cases.ts';
import { breakAudit, contentOf, newEventsIn } from '../fixtures/audit-fixture.ts';
import { type ChangeCase, type PreparedChange, worldOf } from '../fixtures/change-cases-fixture.ts';
import { useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { KEY_CASES } from '../fixtures/key-change-cases.ts';
import { POOL_CASES } from '../fixtures/pool-change-cases.ts';
import { SIGN_IN_CASES } from '../fixtures/sign-in-change-cases.ts';

const CASES = [...ACCOUNT_CASES, ...SIGN_IN_CASES, ...KEY_CASES, ...POOL_CASES];
const ACTORS = {
  operator_token: {
    actor: { type: 'operator_token', id: null, email: null, ip: '127.0.0.1' },
    way: 'cli',
    request_id: null,
  },
  user: {
    actor: { type: 'user', id: expect.stringMatching(/^user_/), email: expect.any(String), ip: '192.0.2.7' },
    way: 'dashboard',
    request_id: 'req_test',
  },
  system: { actor: { type: 'system', id: null, email: null, ip: null }, way: 'system', request_id: null },
};

const control = useControlPlanes({ environment: { SIGNUP_POOL_USD: '2.00' } });
let shared: ReturnType<typeof worldOf> | undefined;
const secrets = new Set<string>(Object.values(TEST_SECRETS));

async function prepare({ prepare: begin }: ChangeCase): Promise<PreparedChange> {
  shared ??= worldOf(control);
  const prepared = await begin(shared);
  return { ...prepared, call: async () => collectSecrets(await prepared.call()) };
}

/** Collects raw keys and tokens of a response, and the hashes of tokens. */
function collectSecrets(answer: unknown): unknown {
  for (const [, secret = ''] of JSON.stringify(answer).matchAll(/"(?:rawKey|token)":"([^"]+)"/g)) {
    secrets.add(secret).add(secretTokenHash(secret));
  }
  return answer;
}

const named = ({ of, rpc }: ChangeCase) => `${rpc}${of === undefined ? '' : ` of ${of}`}`;

describe.each(CASES.map((each) => [named(each), each] as const))('%s', (_, each) => {
  it('records the change once, with its actor, and nothing for a repeated call', async () => {
    const { accountId, call, events, isRepeatable } = await prepare(each);
    const newEvents = newEventsIn(control);
    await newEvents();
    await call();
    const made = await newEvents();
    expect(made).toMatchObject(events.map((event) => ({ ...event, ...ACTORS[each.by], outcome: 'done' })));
    for (const { account_id } of made) expect(account_id).toEqual(accountId ?? made[0]?.object_id);
    if (!isRepeatable) return;
    await call();
    expect(await newEvents()).toEqual([]);
  });

  it('leaves neither change nor event if its transaction fails at the event or at the commit', async () => {
    const { call, events } = await prepare(each);
    if (events.length === 0) return;
    const before = await contentOf(control);
    for (const failure of ['when it writes its event', 'when it commits'] as const) {
      const mend = await breakAudit(control, failure);
      await expect(call().finally(mend)).rejects.toThrow('internal error');
      expect(await contentOf(control)).toEqual(before);
    }
  });
});

const READS = /^(Find|Get|List|Verify)/;
/** Changes of the dashboard, and the management API, whose events other tests check. */
const OF_OTHERS = /Team|Invitation|Seat|Member|AdminKey|Webhook|SignIn|Session|ManagementApi/;

it('every change of accounts, keys, rules and pools has a case', () => {
  const { AccountService, DashboardService, PoolService, RulesService } = gatewayProto;
  const changes = Object.entries({ AccountService, DashboardService, PoolService, RulesService }).flatMap(
    ([name, { service }]) =>
      Object.keys(service)
        .filter((method) => !READS.test(method) && !(name === 'DashboardService' && OF_OTHERS.test(method)))
        .map((method) => `${name}.${method}`),
  );
  expect(new Set(CASES.map(({ rpc }) => rpc))).toEqual(new Set(changes));
});

it('no event has a raw key, a token, a hash of one or a secret of the services', async () => {
  const hashes = await control.sql`
    SELECT lookup_hash AS hash FROM api_keys UNION SELECT token_hash FROM password_resets`;
  for (const { hash } of hashes) secrets.add(String(hash));
  const events = (await control.sql`SELECT e::text AS event FROM audit_events e`).map(({ event }) => event);
  expect(events.length).toBeGreaterThan(CASES.length);
  expect(secrets.size).toBeGreaterThan(CASES.length);
  const text = events.join('\n');
  expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
});

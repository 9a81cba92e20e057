import { type GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { lookupHash } from '@model-gateway/shared';
import { until } from '@model-gateway/test-kit';
import { TEST_SECRETS } from '@model-gateway/test-kit/test-secrets';
import { Client } from 'pg';
import { at, CALL_DEADLINE_MS, type ControlPlanes } from './control-planes-fixture.ts';

/** A limit in a request: a value, or nothing for the default. */
interface Setting {
  value?: number;
}

export interface LimitSettings {
  account: string;
  freePerMinute?: Setting;
  paidPerMinute?: Setting;
  readsPerMinute?: Setting;
  concurrentStreams?: Setting;
}

/** The calls of operators to one of the control planes. */
export function administer(control: ControlPlanes, plane = 0) {
  const admin = at(control.admins, plane);
  return {
    async createKey(request: { account: string; seatId?: string; name?: string }) {
      const { key, rawKey } = await admin.call(CALL_DEADLINE_MS, 'accounts', 'createKey', {
        name: 'test',
        ...request,
      });
      if (key === null) throw new Error('the control plane answered without a key');
      return { ...key, lookupHash: lookupHash(TEST_SECRETS.API_KEY_LOOKUP_PEPPER, rawKey) };
    },
    async listKeys(account: string) {
      const answer = await admin.call(CALL_DEADLINE_MS, 'accounts', 'listKeys', { account });
      return answer.keys;
    },
    async activeKeys() {
      const report = await admin.call(CALL_DEADLINE_MS, 'admin', 'getStatus', {});
      return report.activeKeys;
    },
    getLimits: (account: string) => admin.call(CALL_DEADLINE_MS, 'accounts', 'getLimits', { account }),
    setLimits: (request: LimitSettings) => admin.call(CALL_DEADLINE_MS, 'accounts', 'setLimits', request),
    createTeam: (request: { account?: string; name?: string; requestsPerMinute?: number } = {}) =>
      admin.call(CALL_DEADLINE_MS, 'teams', 'createTeam', { account: 'acct_test', name: 'Team', ...request }),
    async listTeams(account: string) {
      const answer = await admin.call(CALL_DEADLINE_MS, 'teams', 'listTeams', { account });
      return answer.teams;
    },
    setTeamLimit: (teamId: string, requestsPerMinute: number) =>
      admin.call(CALL_DEADLINE_MS, 'teams', 'setTeamLimit', { teamId, requestsPerMinute }),
    addSeat: (teamId: string, account: string) =>
      admin.call(CALL_DEADLINE_MS, 'teams', 'addSeat', { teamId, account }),
    async listSeats(teamId: string) {
      const answer = await admin.call(CALL_DEADLINE_MS, 'teams', 'listSeats', { teamId });
      return answer.seats;
    },
    removeSeat: (seatId: string) => admin.call(CALL_DEADLINE_MS, 'teams', 'removeSeat', { seatId }),
    /** Asks in the way of a data plane. */
    resolve: (hash: string) =>
      at(control.callers, plane).call(CALL_DEADLINE_MS, 'keys', 'resolveKey', { lookupHash: hash }),
  };
}

/** Returns the gRPC status of a refused call. Fails the test when there is an answer. */
export async function refusalOf(answer: Promise<unknown>): Promise<GrpcStatus | undefined> {
  return await answer.then(
    (message) => {
      throw new Error(`answered ${JSON.stringify(message)}`);
    },
    (error: unknown) => {
      if (grpcStatus(error) === undefined) throw error;
      return grpcStatus(error);
    },
  );
}

/** Inserts another account, and returns its id. */
export async function insertAccount(control: ControlPlanes, name: string): Promise<string> {
  await control.query('INSERT INTO accounts (id, email, name) VALUES ($1, $2, $3)', [
    `acct_${name}`,
    `${name}@example.com`,
    name,
  ]);
  return `acct_${name}`;
}

/** Holds the lock that `sql` takes, while the control planes get as far as they can. */
export async function holdLock(control: ControlPlanes, sql: string) {
  const blocker = new Client({ connectionString: control.databaseUrl });
  await blocker.connect();
  await blocker.query('BEGIN');
  await blocker.query(sql);
  return {
    /** Resolves when this many statements wait for a lock. */
    waiting: (count: number) =>
      until(async () => {
        const [row] = await control.query(
          `SELECT count(*)::int AS waiting FROM pg_stat_activity
           WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return row?.waiting === count;
      }),
    async [Symbol.asyncDispose]() {
      await blocker.end();
    },
  };
}

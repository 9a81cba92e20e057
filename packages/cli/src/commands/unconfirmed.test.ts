import { describe, expect, it } from 'vitest';
import type { CommandResult } from '../run-command.ts';
import { deletionResult, resumptionResult, suspensionResult } from './accounts.ts';
import { expiryResult, revocationResult, rotationResult } from './keys.ts';
import { moveResult, removalResult } from './seats.ts';
import { teamDeletionResult } from './teams.ts';

const account = {
  id: 'acct_1',
  email: 'ada@example.com',
  name: 'Ada',
  createdAtMs: '0',
  emailVerified: true,
  unlimited: false,
  timezone: 'UTC',
  weekStarts: 'monday',
};
const key = {
  id: 'key_1',
  accountId: 'acct_1',
  name: 'ci',
  displayPrefix: 'gw_live_aaaaaaaa',
  kind: 'issued',
  status: 'active',
  createdAtMs: '0',
  expiresAtMs: '1000',
  tags: {},
};
const revoked = { ...key, id: 'key_0', status: 'revoked', revokedAtMs: '1000' };
const team = { id: 'team_1', accountId: 'acct_1', name: 'Crew', requestsPerMinute: 600, createdAtMs: '0' };
const seat = {
  id: 'seat_1',
  teamId: 'team_1',
  accountId: 'acct_1',
  accountEmail: 'ada@example.com',
  createdAtMs: '0',
};

/** Each command whose effect data planes have to confirm, with the data planes that have not confirmed it. */
const RESULTS: [command: string, result: (unconfirmedInstances: string[]) => CommandResult][] = [
  [
    'accounts suspend',
    (unconfirmedInstances) => suspensionResult({ account, stoppedKeyIds: ['key_1'], unconfirmedInstances }),
  ],
  [
    'accounts resume',
    (unconfirmedInstances) => resumptionResult({ account, restoredKeyIds: ['key_1'], unconfirmedInstances }),
  ],
  [
    'accounts delete',
    (unconfirmedInstances) =>
      deletionResult({
        account,
        revokedKeyIds: ['key_1'],
        deletedTeamIds: ['team_1'],
        removedSeatIds: ['seat_1'],
        removedPools: [{ poolId: 'pool_1', taken: '1500000000', held: '200000000' }],
        unconfirmedInstances,
      }),
  ],
  [
    'keys rotate',
    (unconfirmedInstances) =>
      rotationResult({ key, rawKey: 'gw_live_x', replaced: revoked, unconfirmedInstances }),
  ],
  ['keys expire', (unconfirmedInstances) => expiryResult({ key, unconfirmedInstances })],
  [
    'teams delete',
    (unconfirmedInstances) =>
      teamDeletionResult({
        team,
        removedSeatIds: ['seat_1'],
        revokedKeyIds: ['key_1'],
        removedPools: [{ poolId: 'pool_1', taken: '1500000000', held: '200000000' }],
        unconfirmedInstances,
      }),
  ],
  ['keys revoke', (unconfirmedInstances) => revocationResult({ key: revoked, unconfirmedInstances })],
  [
    'seats remove',
    (unconfirmedInstances) =>
      removalResult({
        seat: { ...seat, removedAtMs: '1000' },
        revokedKeyIds: ['key_1', 'key_2'],
        unconfirmedInstances,
      }),
  ],
  [
    'seats move',
    (unconfirmedInstances) => moveResult({ seat, revokedKeyIds: ['key_1'], unconfirmedInstances }),
  ],
];

describe('a change that data planes have to confirm', () => {
  it.each(RESULTS)('%s is called done only when all of them have', (_, result) => {
    const done = result([]);
    expect(done.note ?? '').not.toContain('NOT YET CONFIRMED');
    expect(done.json).toMatchObject({ unconfirmed_instances: [] });
    const open = result(['dp_1', 'redis']);
    expect(open.json).toMatchObject({ unconfirmed_instances: ['dp_1', 'redis'] });
    expect(open.note).toMatch(
      /NOT YET CONFIRMED: 2 .*dp_1, redis\. One that has died .* after \d\d:\d\d:\d\d UTC/,
    );
    expect(open.text).not.toMatch(/everywhere/);
  });

  it('names the money that was removed from the pools of a deleted owner', () => {
    for (const [command, result] of RESULTS) {
      if (!command.endsWith('delete')) continue;
      expect(result([]).text).toContain(
        'pool_1 (1.50 USD taken out; 0.20 USD is still reserved for running requests, ' +
          'and what they do not use is taken out when they end)',
      );
    }
  });

  it('says that its keys are refused everywhere, where it had keys', () => {
    const removed = { seat: { ...seat, removedAtMs: '1000' }, unconfirmedInstances: [] };
    expect(removalResult({ ...removed, revokedKeyIds: ['key_1', 'key_2'] })).toEqual({
      json: expect.objectContaining({ status: 'removed', revoked_key_ids: ['key_1', 'key_2'] }),
      text: 'seat_1 removed; revoked key_1, key_2; refused everywhere from now on\n',
    });
    expect(removalResult({ ...removed, revokedKeyIds: [] }).text).toBe(
      'seat_1 removed; it had no active keys\n',
    );
    expect(revocationResult({ key: revoked, unconfirmedInstances: [] })).toEqual({
      json: expect.objectContaining({ id: 'key_0', status: 'revoked' }),
      text: 'key_0 revoked; refused everywhere from now on\n',
    });
  });
});

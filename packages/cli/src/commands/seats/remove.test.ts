import { describe, expect, it } from 'vitest';
import { removalResult } from './remove.ts';

const seat = {
  id: 'seat_1',
  teamId: 'team_1',
  accountId: 'acct_1',
  accountEmail: 'ada@example.com',
  createdAtMs: '0',
  removedAtMs: '1000',
};

describe('the outcome of a removal', () => {
  it('is called done when every data plane has confirmed', () => {
    const answer = { seat, revokedKeyIds: ['key_1', 'key_2'], unconfirmedInstances: [] };
    expect(removalResult(answer)).toEqual({
      json: expect.objectContaining({
        id: 'seat_1',
        status: 'removed',
        revoked_key_ids: ['key_1', 'key_2'],
        unconfirmed_instances: [],
      }),
      text: 'seat_1 removed; revoked key_1, key_2; refused everywhere from now on\n',
    });
  });

  it('names the data planes that have not confirmed', () => {
    const result = removalResult({ seat, revokedKeyIds: ['key_1'], unconfirmedInstances: ['dp_1', 'dp_2'] });
    expect(result.json).toMatchObject({ unconfirmed_instances: ['dp_1', 'dp_2'] });
    expect(result.text).not.toContain('everywhere');
    expect(result.note).toMatch(/NOT YET CONFIRMED.*seat_1.*dp_1, dp_2$/);
  });

  it('says so when there was no key to revoke', () => {
    const result = removalResult({ seat, revokedKeyIds: [], unconfirmedInstances: [] });
    expect(result.text).toBe('seat_1 removed; it had no active keys\n');
  });
});

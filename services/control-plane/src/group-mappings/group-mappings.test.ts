import { describe, expect, it } from 'vitest';
import { assignmentsOf, groupMappingsSetting } from './group-mappings.ts';

const GRANTS = groupMappingsSetting.parse(
  JSON.stringify([
    { group: 'Admins', role: 'admin' },
    { group: 'Admins', account: 'acct_a', role: 'viewer' },
    { group: '0a1b', team: 'team_a' },
    { group: 'ops', provider: 'entra', installation: 'operator' },
  ]),
);

describe('what groups give', () => {
  it('names accounts, teams and roles of the installation, for group names in any case', () => {
    expect(assignmentsOf(GRANTS, { provider: 'entra', groups: ['admins', '0A1B', 'OPS', 'others'] })).toEqual(
      {
        roles: [{ account: 'acct_a', role: 'viewer' }],
        teamIds: ['team_a'],
        installation: ['operator'],
      },
    );
  });

  it('comes only from the provider that the entry names', () => {
    expect(assignmentsOf(GRANTS, { provider: 'google', groups: ['ops'] }).installation).toEqual([]);
  });

  it('of a token for one account is a role in it, and never a role in the installation', () => {
    const given = assignmentsOf(GRANTS, {
      provider: 'entra',
      groups: ['admins', 'ops'],
      accountId: 'acct_b',
    });
    expect(given.roles).toContainEqual({ account: 'acct_b', role: 'admin' });
    expect(given.installation).toEqual([]);
  });

  it.each([
    'no json',
    '{}',
    '[{"group":"a","role":"owner"}]',
    '[{"group":"a","role":"admin","team":"team_a"}]',
    '[{"group":"","team":"team_a"}]',
    '[{"team":"team_a"}]',
  ])('is refused as %s', (text) => {
    expect(groupMappingsSetting.safeParse(text).success).toBe(false);
  });
});

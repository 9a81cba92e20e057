import { expect } from 'vitest';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { at, CALL_DEADLINE_MS, it } from '../fixtures/control-planes-fixture.ts';

const CHANGES = 200;
const ACCOUNTS = 20;

it('200 concurrent changes of mixed accounts form valid chains, and the check is never wrong meanwhile', async ({
  pair: control,
}) => {
  const accounts = await Promise.all(
    Array.from({ length: ACCOUNTS }, (_, index) => insertAccount(control, `owner-${index}`)),
  );
  const teams = await Promise.all(
    accounts.map((account) => control.admin('teams', 'createTeam', { account, name: 'Team' })),
  );
  let isRunning = true;
  const checks = (async () => {
    const found: unknown[] = [];
    while (isRunning) found.push((await control.admin('audit', 'verifyAuditLog', { heads: [] })).broken);
    return found;
  })();
  const calls = Array.from({ length: CHANGES }, async (_, index) => {
    const admin = at(control.admins, index % 2);
    const { id: teamId } = at(teams, index % ACCOUNTS);
    const account = at(accounts, (index * 7 + 3) % ACCOUNTS);
    if (index % 4 === 0) {
      return await admin.callOnce(CALL_DEADLINE_MS, 'teams', 'setTeamLimit', {
        teamId,
        requestsPerMinute: index + 1,
      });
    }
    if (index % 4 === 1) {
      const email = `guest-${index}@example.com`;
      return await admin.callOnce(CALL_DEADLINE_MS, 'teams', 'inviteToTeam', { teamId, email });
    }
    if (index % 4 === 2) {
      return await admin.callOnce(CALL_DEADLINE_MS, 'teams', 'createTeam', {
        account,
        name: `Team ${index}`,
      });
    }
    return await admin.callOnce(CALL_DEADLINE_MS, 'admin', 'setCredential', {
      name: `KEY_${index}_API_KEY`,
      value: `sk-test-${index}-0123456789`,
    });
  });
  await Promise.all(calls);
  isRunning = false;
  const results = await checks;
  expect(results.length).toBeGreaterThan(0);
  expect(results.filter((broken) => broken !== null)).toEqual([]);
  expect(await control.admin('audit', 'verifyAuditLog', { heads: [] })).toEqual({
    events: String(ACCOUNTS + CHANGES),
    comparedHeads: 0,
    broken: null,
  });
});

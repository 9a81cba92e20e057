import { setTimeout as wait } from 'node:timers/promises';
import { createLogger } from '@model-gateway/service-kit';
import { until } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { AuditHeadsStore } from '../../src/audit/audit-heads-store.ts';
import { AuditRetentionStore } from '../../src/audit/audit-retention-store.ts';
import { logAuditHeads } from '../../src/audit/log-audit-heads.ts';
import { insertAccount } from '../fixtures/administration-fixture.ts';
import { type ControlPlanes, it } from '../fixtures/control-planes-fixture.ts';

async function makeTeams(control: ControlPlanes, account: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await control.admin('teams', 'createTeam', { account, name: `Team ${index}` });
  }
}

const verified = async (control: ControlPlanes) =>
  await control.admin('audit', 'verifyAuditLog', { heads: [] });

it('old events are removed from the beginning of each chain, which stays whole', async ({ control }) => {
  const accounts = await Promise.all(
    Array.from({ length: 4 }, (_, index) => insertAccount(control, `owner-${index}`)),
  );
  for (const account of accounts) await makeTeams(control, account, 3);
  await wait(50);
  const cut = new Date();
  for (const account of accounts.slice(0, 3)) await makeTeams(control, account, 2);
  const store = new AuditRetentionStore(control.prisma, 400);
  await store.prune();
  expect(await verified(control)).toEqual({ events: '18', comparedHeads: 0, broken: null });
  // Two control planes may remove at the same time.
  await Promise.all([store.prune(cut), store.prune(cut)]);
  await store.prune(cut);
  expect(await verified(control)).toEqual({ events: '6', comparedHeads: 0, broken: null });
  await makeTeams(control, accounts[3] ?? '', 1);
  expect(await verified(control)).toEqual({ events: '7', comparedHeads: 0, broken: null });
});

it('the check finds nothing wrong while events are removed and added', async ({ control }) => {
  const account = await insertAccount(control, 'owner');
  await makeTeams(control, account, 20);
  const work = Promise.all([
    makeTeams(control, account, 10),
    (async () => {
      for (let round = 0; round < 10; round++) {
        await new AuditRetentionStore(control.prisma, 1).prune(new Date(Date.now() - 50));
      }
    })(),
  ]);
  for (let round = 0; round < 10; round++) expect((await verified(control)).broken).toBeNull();
  await work;
  expect((await verified(control)).broken).toBeNull();
});

it('one of several control planes logs the head of every chain, at most once in 50 seconds', async ({
  pair: control,
}) => {
  await makeTeams(control, await insertAccount(control, 'owner'), 2);
  const lines: string[] = [];
  const log = createLogger({
    service: 'test',
    level: 'info',
    destination: { write: (line) => void lines.push(line) },
  });
  const auditHeadsStore = new AuditHeadsStore(control.prisma);
  // A control plane that has just started may log them instead.
  await until(async () => {
    await control.query('UPDATE installation SET audit_heads_logged_at = NULL');
    await Promise.all([logAuditHeads({ auditHeadsStore, log }), logAuditHeads({ auditHeadsStore, log })]);
    return lines.length > 0;
  });
  const heads = await control.query(
    'SELECT chain, position::int AS position, hash FROM audit_chains WHERE position > 0 ORDER BY chain',
  );
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ msg: 'audit chain heads', heads, logged_at: expect.any(String) }),
  ]);
  await logAuditHeads({ auditHeadsStore, log });
  expect(lines).toHaveLength(1);
});

import { type SettledRecord, settledColumns } from '@model-gateway/database';
import { newRequestId } from '@model-gateway/shared';
import { usageRow } from '@model-gateway/test-kit/usage-row';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SettlementStore } from '../../src/settlement/settlement-store.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

const LABELS = {
  tags: { project: 'alpha', 'cost.center': 'ä, "b" \\ {c}' },
  endUser: 'someone@example.com',
  session: 'a session, with a comma',
  affinity: 'session',
  budgets: ['bud_1/2026-11', 'bud_2/total/some{one}, "else"'],
};
const NO_LABELS = { tags: {}, endUser: undefined, session: undefined, affinity: undefined, budgets: [] };

const control = useControlPlanes();
let settlement: Settlement;

beforeAll(() => {
  settlement = new Settlement(at(control.callers, 0));
});
afterAll(() => settlement.end());

const report = (more: object = {}) => ({ ...outcomeOf('sim/free'), requestId: newRequestId(), ...more });
async function labelsOf(requestId: string) {
  const { affinity, budgets, endUser, session, tags } = await control.admin('billing', 'getReceipt', {
    requestId,
  });
  return { affinity, budgets, endUser, session, tags };
}

it('tags, end user, session, affinity and budgets of a request are on its receipt', async () => {
  const [labelled, plain] = [report(LABELS), report()];
  await settlement.settle([labelled, plain]);
  expect(await labelsOf(labelled.requestId)).toEqual(LABELS);
  expect(await labelsOf(plain.requestId)).toEqual(NO_LABELS);
});

it('a stream whose data plane is killed keeps the labels of its checkpoint', async () => {
  const allowanceId = 'allowance_gone';
  const records = [report({ ...LABELS, allowanceId }), report({ allowanceId })] as const;
  await settlement.checkpoint([...records]);
  await control.sql`INSERT INTO allowances (id, instance_id, payer, used_at)
     VALUES (${allowanceId}, 'gone', '{account:acct_test}', now() - interval '1 hour')`;
  await control.query(`SELECT close_expired_allowance('allowance_gone', '1 minute')`);
  expect(await labelsOf(records[0].requestId)).toEqual(LABELS);
  expect(await labelsOf(records[1].requestId)).toEqual(NO_LABELS);
});

it('a request that is handed over keeps its labels, and its final report replaces them', async () => {
  const row = usageRow({ ...LABELS, requestId: newRequestId(), followed: 'x' });
  const store = new SettlementStore(control.prisma);
  await store.handOver([row]);
  expect(await labelsOf(row.requestId)).toEqual(LABELS);
  await store.settle([{ ...row, tags: { project: 'beta' }, endUser: null }]);
  expect(await labelsOf(row.requestId)).toMatchObject({
    ...LABELS,
    tags: { project: 'beta' },
    endUser: undefined,
  });
});

it('labels that cannot be stored are cut or replaced, and lose no request', async () => {
  const tags = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`tag${index}`, 'x']));
  const [long, many] = [
    report({ tags: { 'a\0b': `\0${'x'.repeat(400)}` }, session: 'x'.repeat(700), affinity: 'unheard of' }),
    report({ tags }),
  ];
  await settlement.settle([long, many]);
  expect(await labelsOf(long.requestId)).toMatchObject({
    tags: { 'a\uFFFDb': `\uFFFD${'x'.repeat(299)}` },
    session: 'x'.repeat(600),
    affinity: 'none',
  });
  const labels = await labelsOf(many.requestId);
  expect(Object.keys(labels.tags)).toHaveLength(64);
});

it.each([
  { name: 'settle_records', sent: 20 },
  { name: 'hand_over_requests', sent: 20 },
  { name: 'settle_requests', sent: 25 },
  { name: 'hand_over_responses', sent: 25 },
])('$name of earlier releases stores requests without labels and price lists', async ({ name, sent }) => {
  const row: SettledRecord = usageRow({ requestId: newRequestId() });
  const old = settledColumns([row]).slice(0, sent);
  const values = old.map(({ literal }) => literal);
  const types = old.map(({ type }, index) => `$${index + 1}::${type}`);
  const last = name.startsWith('settle_') ? 'false' : `'{x}'::text[]`;
  await control.query(`SELECT ${name}(${types.join(', ')}, ${last})`, values);
  expect(await labelsOf(row.requestId)).toEqual(NO_LABELS);
});

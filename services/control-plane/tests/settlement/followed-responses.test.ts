import { randomUUID } from 'node:crypto';
import { newRequestId } from '@model-gateway/shared';
import { settleRows, usageRow } from '@model-gateway/test-kit/usage-row';
import { beforeEach, expect, it } from 'vitest';
import { FollowedResponseStore } from '../../src/settlement/followed-response-store.ts';
import { SettlementStore } from '../../src/settlement/settlement-store.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const control = useControlPlanes({ count: 2 });

beforeEach(() => control.query('DELETE FROM followed_responses'));

async function handOver(...followed: string[]): Promise<string[]> {
  const rows = followed.map((text) => usageRow({ requestId: newRequestId(), followed: text }));
  for (const row of rows) await new SettlementStore(control.prisma).handOver([row]);
  return rows.map(({ requestId }) => requestId);
}

/** Claims as a data plane that follows these requests. */
async function claim(following: string[] = [], most = 10, plane = 0): Promise<string[]> {
  const client = at(control.callers, plane);
  const request = { following, most };
  return (await client.call(CALL_DEADLINE_MS, 'billing', 'acquireFollowedResponses', request)).followed;
}

const lapse = () => control.query(`UPDATE followed_responses SET claimed_until = now() - interval '1 s'`);
const leftSeconds = async () =>
  (
    await control.query(
      'SELECT extract(epoch FROM claimed_until - now())::int AS left FROM followed_responses',
    )
  ).map(({ left }) => Number(left));

it('each response is claimed by one of many data planes, the oldest first', async () => {
  await handOver('a', 'b', 'c', 'd');
  expect(await claim([], 1)).toEqual(['a']);
  const claimed = await Promise.all(Array.from({ length: 10 }, (_, index) => claim([], 2, index % 2)));
  expect(claimed.flat().sort()).toEqual(['b', 'c', 'd']);
  expect(await claim()).toEqual([]);
});

it('a claim ends without renewal, and another data plane gets the response', async () => {
  const [requestId = ''] = await handOver('a');
  expect(await claim()).toEqual(['a']);
  await lapse();
  expect(await claim([requestId])).toEqual([]);
  expect(await leftSeconds()).toEqual([expect.toSatisfy((left: number) => left > 20 && left <= 30)]);
  await lapse();
  expect(await claim()).toEqual(['a']);
});

it('a response cannot be claimed after its final report, also if a provisional one arrives later', async () => {
  const [requestId = ''] = await handOver('a');
  const final = usageRow({ requestId });
  await settleRows(control.query, [final]);
  expect(await control.query('SELECT 1 FROM followed_responses')).toEqual([]);
  await new SettlementStore(control.prisma).handOver([{ ...final, followed: 'b' }]);
  expect(await claim()).toEqual([]);
});

it('a response without a provisional record cannot be claimed, and is deleted', async () => {
  await control.query(`INSERT INTO followed_responses (request_id, followed) VALUES ('req_gone', 'a')`);
  expect(await claim()).toEqual([]);
  await new FollowedResponseStore(control.prisma).prune();
  expect(await control.query('SELECT 1 FROM followed_responses')).toEqual([]);
});

it('how a deleted response had ended stays known when the deletion is reported again', async () => {
  const report = async (id: string, ended?: string) =>
    await at(control.callers, 0).call(CALL_DEADLINE_MS, 'billing', 'reportDeletedResponse', {
      id,
      ...(ended === undefined ? {} : { ended }),
    });
  const find = async (id: string) =>
    await at(control.callers, 1).call(CALL_DEADLINE_MS, 'billing', 'resolveDeletedResponse', { id });
  const id = randomUUID();
  expect(await find(id)).toMatchObject({ isDeleted: false });
  await report(id);
  expect((await find(id)).ended).toBeUndefined();
  for (const ended of ['{"first":1}', undefined, '{"second":2}']) await report(id, ended);
  expect(await find(id)).toMatchObject({ isDeleted: true, ended: '{"first":1}' });
});

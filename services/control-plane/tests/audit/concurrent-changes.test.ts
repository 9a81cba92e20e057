import { grpcStatus } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { newEventsIn } from '../fixtures/audit-fixture.ts';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';

const control = useControlPlanes({ count: 2 });
const ROUNDS = 10;

it('a key that many calls revoke at once has one event for it', async () => {
  const { id } = await control.createKey();
  const newEvents = newEventsIn(control);
  await newEvents();
  await Promise.all(Array.from({ length: 8 }, (_, index) => control.revokeKey(id, index % 2)));
  expect(await newEvents()).toMatchObject([{ action: 'api_key.revoked', object_id: id }]);
});

it('each event of a key begins with the state that the event before it left, under concurrent changes', async () => {
  const newEvents = newEventsIn(control);
  for (let round = 0; round < ROUNDS; round++) {
    const { id: keyId } = await control.createKey();
    const [created] = (await newEvents()).slice(-1);
    const call = (plane: number, name: string) =>
      at(control.admins, plane).call(CALL_DEADLINE_MS, 'accounts', 'renameKey', { keyId, name });
    const expire = at(control.admins, 1)
      .call(CALL_DEADLINE_MS, 'accounts', 'expireKey', { keyId, atMs: '4102444800000' })
      .catch((error: unknown) => expect(grpcStatus(error)).toBeDefined());
    await Promise.all([call(0, 'one'), call(1, 'two'), control.revokeKey(keyId, 1), expire]);
    const events = await control.sql`
      SELECT id, before, after FROM audit_events WHERE object_id = ${keyId} ORDER BY position`;
    expect(events.map(({ id }) => id)).toContain(created?.id);
    expect(events.slice(1).map(({ before }) => before)).toEqual(
      events.slice(0, -1).map(({ after }) => after),
    );
    expect(events.map(({ after }) => after).at(-1)).toMatchObject({ status: 'revoked' });
  }
});

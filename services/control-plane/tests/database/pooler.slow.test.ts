import { hasProgram } from '@model-gateway/test-kit';
import { expect, inject, it } from 'vitest';
import { at, CALL_DEADLINE_MS, startControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { startPgBouncer } from '../fixtures/pgbouncer-fixture.ts';
import { outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

const FEW = 3;

it.skipIf(!hasProgram('pgbouncer'))(
  'control planes work through a PgBouncer in transaction mode',
  async () => {
    await using pooler = await startPgBouncer(inject('postgres').adminUrl, FEW);
    await using control = await startControlPlanes({
      count: 2,
      reachedAt: pooler.through,
      environment: (databaseUrl) => ({ DATABASE_SESSION_URL: databaseUrl }),
    });
    const watch = await control.dataPlane(1);
    const keys = await Promise.all(Array.from({ length: 20 }, (_, index) => control.createKey(index % 2)));
    const resolved = await Promise.all(
      keys.map(({ lookupHash }, index) =>
        at(control.callers, index % 2).call(CALL_DEADLINE_MS, 'keys', 'resolveKey', { lookupHash }),
      ),
    );
    expect(resolved.map(({ key }) => key?.keyId)).toEqual(keys.map(({ id }) => id));
    const streams = control.callers.map((caller) => new Settlement(caller));
    for (let round = 0; round < 10; round++) {
      const acks = await Promise.all(
        streams.map((stream) => stream.settle(Array.from({ length: 20 }, () => outcomeOf('sim/pooled')))),
      );
      expect(acks.map(({ refused }) => refused)).toEqual([0, 0]);
    }
    for (const stream of streams) stream.end();
    const [counted] =
      await control.sql`SELECT sum(requests)::int AS requests FROM model_minutes WHERE model_id = 'sim/pooled'`;
    expect(counted).toEqual({ requests: 400 });
    // The notification came over its own session.
    const [{ id = '' } = {}] = keys;
    await control.revokeKey(id, 0);
    await watch.changeOf(id);
  },
);

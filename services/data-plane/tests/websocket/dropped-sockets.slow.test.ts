import { setTimeout as wait } from 'node:timers/promises';
import { openBooks, until, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { expectLedgerAgrees, payingKey } from '../money/money-fixture.ts';
import { openSocket } from './socket-client.ts';

const SOCKETS = 60;
/** The first leave 0 to 15 ms after their request, each later one after one frame more than the last. */
const LEAVE_EARLY = 16;
const gateway = withGateway({ ownPools: true });

it('each request of a connection that breaks off at any moment is settled once', async () => {
  const { keyId, rawKey } = await payingKey(gateway, '100.00');
  await Promise.all(
    Array.from({ length: SOCKETS }, async (_, index) => {
      // More words than any socket reads frames.
      gateway.provider.script({ content: 'word '.repeat(SOCKETS), token_delay_ms: 2 });
      const socket = await openSocket(gateway.baseUrl, rawKey);
      socket.create({ model: 'sim/chat-pro', input: 'hi' });
      if (index < LEAVE_EARLY) await wait(index);
      else for (let read = 0; read <= index - LEAVE_EARLY; read++) await socket.next();
      if (index % 2 === 0) socket.ws.terminate();
      else socket.ws.close();
      await socket.closed;
    }),
  );
  await expectLedgerAgrees(gateway);
  const sent = gateway.provider.requests.length;
  expect(sent).toBeGreaterThanOrEqual(SOCKETS - LEAVE_EARLY);
  await using books = openBooks(gateway.databaseUrl);
  const records = () =>
    books.query('SELECT request_id, charged FROM usage_records WHERE key_id = $1', [keyId]);
  await until(async () => (await records()).length >= sent);
  const all = await records();
  expect(new Set(all.map(({ request_id }) => request_id)).size).toBe(all.length);
  // A request that is dropped on its way to the provider may have a record.
  expect(all.length).toBeLessThanOrEqual(SOCKETS);
  // A socket that leaves before the first text pays nothing.
  expect(all.filter(({ charged }) => Number(charged) > 0).length).toBeGreaterThan(SOCKETS / 2);
});

import { setTimeout as wait } from 'node:timers/promises';
import { openBooks, until, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { expectLedgerAgrees, payingKey } from '../money/money-fixture.ts';
import { openSocket } from './socket-client.ts';

const SOCKETS = 60;
/** So many leave some milliseconds after they asked, the others after one frame more each. */
const LEAVE_EARLY = 16;
const gateway = withGateway({ ownPools: true });

it('each request of a connection that breaks off at any moment is settled once', async () => {
  const { keyId, rawKey } = await payingKey(gateway, '100.00');
  await Promise.all(
    Array.from({ length: SOCKETS }, async (_, index) => {
      gateway.provider.script({ content: 'word '.repeat(SOCKETS), token_delay_ms: 2 });
      const socket = await openSocket(gateway.baseUrl, rawKey);
      socket.create({ model: 'sim/chat-pro', input: 'hi' });
      if (index < LEAVE_EARLY) await wait(index);
      else for (let frames = index - LEAVE_EARLY; frames >= 0; frames -= 1) await socket.next();
      if (index % 2 === 0) socket.ws.terminate();
      else socket.ws.close();
      await socket.closed;
    }),
  );
  await expectLedgerAgrees(gateway);
  const asked = gateway.provider.requests.length;
  expect(asked).toBeGreaterThanOrEqual(SOCKETS - LEAVE_EARLY);
  await using books = openBooks(gateway.databaseUrl);
  const records = () =>
    books.query('SELECT request_id, charged FROM usage_records WHERE key_id = $1', [keyId]);
  await until(async () => (await records()).length >= asked);
  const all = await records();
  expect(new Set(all.map(({ request_id }) => request_id)).size).toBe(all.length);
  // One that leaves on the way to the provider may have a record that the provider knows nothing of.
  expect(all.length).toBeLessThanOrEqual(SOCKETS);
  // Whoever leaves before the first byte of the text pays nothing.
  expect(all.filter(({ charged }) => Number(charged) > 0).length).toBeGreaterThan(SOCKETS / 2);
});

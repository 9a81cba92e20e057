import { setTimeout as wait } from 'node:timers/promises';
import { openBooks, until, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { expectLedgerAgrees, payingKey } from '../money/money-fixture.ts';
import { openSocket } from './socket-client.ts';

const SOCKETS = 60;
const gateway = withGateway({ ownPools: true });

it('each request of a connection that breaks off at any moment is settled once', async () => {
  const { keyId, rawKey } = await payingKey(gateway, '100.00');
  const simulate = { content: 'word '.repeat(40), token_delay_ms: 5 };
  await Promise.all(
    Array.from({ length: SOCKETS }, async (_, index) => {
      const socket = await openSocket(gateway.baseUrl, rawKey);
      socket.create({ model: 'sim/chat-pro', input: 'hi', simulate });
      await wait(index * 5);
      if (index % 2 === 0) socket.ws.terminate();
      else socket.ws.close();
      await socket.closed;
    }),
  );
  await expectLedgerAgrees(gateway);
  const asked = gateway.provider.requests.length;
  expect(asked).toBeGreaterThan(SOCKETS / 2);
  await using books = openBooks(gateway.databaseUrl);
  const records = () =>
    books.query('SELECT request_id, charged FROM usage_records WHERE key_id = $1', [keyId]);
  await until(async () => (await records()).length >= asked);
  const all = await records();
  expect(new Set(all.map(({ request_id }) => request_id)).size).toBe(all.length);
  expect(all).toHaveLength(asked);
  // Whoever leaves before the first byte pays nothing.
  expect(all.filter(({ charged }) => Number(charged) > 0).length).toBeGreaterThan(SOCKETS / 3);
});

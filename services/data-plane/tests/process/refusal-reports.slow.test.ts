import { Server, ServerCredentials } from '@grpc/grpc-js';
import { ControlPlaneClient } from '@model-gateway/contracts';
import { createLogger, createRegistry } from '@model-gateway/service-kit';
import { GatewayError } from '@model-gateway/shared';
import { startGateway, TEST_SECRETS, until } from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { startTcpProxy } from '@model-gateway/test-kit/tcp-proxy';
import { expect, it } from 'vitest';
import { keyContextFromMessage } from '../../src/keys/key-context.ts';
import { RefusalReports } from '../../src/refusals/refusal-reports.ts';

const limits = { freePerMinute: 1, paidPerMinute: 1, readsPerMinute: 1, concurrentStreams: 1 };

async function startReports() {
  await using stack = new AsyncDisposableStack();
  const gateway = stack.use(await startGateway({ dataPlanes: 0 }));
  const port = gateway.controlPlanes[0]?.grpcPort ?? 0;
  const proxy = stack.use(await startTcpProxy(port, '127.0.0.1'));
  const client = stack.adopt(
    new ControlPlaneClient({
      addresses: [`127.0.0.1:${proxy.port}`],
      token: TEST_SECRETS.INTERNAL_TOKEN,
      tls: {},
    }),
    (each) => each.close(),
  );
  let failed = 0;
  let dropped = 0;
  const log = createLogger({
    service: 'test',
    level: 'debug',
    destination: {
      write: (line) => {
        failed += Number(line.includes('refused requests could not be reported'));
        dropped += Number(line.includes('rejects a report'));
      },
    },
  });
  const reports = new RefusalReports({ client, registry: createRegistry(), log });
  const sql = stack.use(openSql(gateway.databaseUrl));
  const accountId = await gateway.createAccount();
  const owned = stack.move();
  return {
    proxy,
    port,
    reports,
    refuse(times: number, keyId = 'key_1') {
      const error = new GatewayError('rate_limit_exceeded', 'Too many.');
      const key = keyContextFromMessage({ keyId, accountId, payer: [], limits });
      for (let each = 0; each < times; each++) {
        reports.count({ key, route: '/v1/chat/completions' }, error);
      }
    },
    /** How many reports have failed. */
    failed: () => failed,
    /** How many will not be sent again. */
    dropped: () => dropped,
    async stored() {
      const rows = await sql.rows('SELECT coalesce(sum(count), 0)::int AS count FROM refused_requests');
      return rows[0];
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

it.concurrent('a report that was taken without a reply counts once, and so does the next one', async () => {
  await using test = await startReports();
  test.proxy.stall();
  test.refuse(5);
  await until(() => test.failed() === 1);
  test.refuse(2);
  // Now the first report arrives, whose sender has given up on it, and is sent again.
  test.proxy.restore();
  await until(async () => JSON.stringify(await test.stored()) === '{"count":7}');
  test.refuse(1);
  await test.reports.close();
  expect(await test.stored()).toEqual({ count: 8 });
});

it.concurrent('a control plane of the previous release does no harm, and a later one gets the reports', async () => {
  await using test = await startReports();
  const before = new Server();
  const port = await new Promise<number>((resolve, reject) => {
    before.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  try {
    test.proxy.leadTo(port);
    test.refuse(3);
    await until(() => test.failed() >= 1);
    test.refuse(4);
    test.proxy.leadTo(test.port);
    await until(async () => JSON.stringify(await test.stored()) === '{"count":7}');
  } finally {
    before.forceShutdown();
  }
});

it.concurrent('a stopping data plane sends its reports before it ends', async () => {
  await using test = await startReports();
  test.refuse(3);
  await test.reports.close();
  expect(await test.stored()).toEqual({ count: 3 });
});

it.concurrent('a report that fails validation does not block the ones behind it', async () => {
  await using test = await startReports();
  test.refuse(5, 'too long'.repeat(100));
  await until(() => test.dropped() + test.failed() >= 1);
  test.refuse(2);
  await test.reports.close();
  expect(await test.stored()).toEqual({ count: 2 });
});

import { setTimeout as wait } from 'node:timers/promises';
import { ControlPlaneClient } from '@model-gateway/contracts';
import { PROVIDER_CREDENTIAL, simulatedCatalog, TEST_SECRETS, until } from '@model-gateway/test-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { addPool } from '@model-gateway/test-kit/start-gateway';
import { createEmptyDatabase } from '@model-gateway/test-kit/test-database';
import { describe, expect, it } from 'vitest';
import { startSimulatedProvider } from '../../../../packages/simulated-provider/src/index.ts';
import { type Answer, send } from './outage-money-load.ts';
import { ServiceProcess } from './outage-money-process.ts';
import { checkOutPreviousRelease, ROOT, run } from './previous-release.ts';

const { ADMIN_TOKEN, API_KEY_LOOKUP_PEPPER, INTERNAL_TOKEN } = TEST_SECRETS;
const CALL_MS = 10_000;
const PHASE_MS = 3_000;
const LANES = 4;

const previous = await checkOutPreviousRelease();
const name =
  'missing' in previous
    ? `an upgrade is not tested: ${previous.missing}`
    : 'the gateway serves during an upgrade and its rollback, with both releases side by side';

describe('an upgrade and its rollback', () => {
  it.skipIf('missing' in previous)(name, async () => {
    if ('missing' in previous) return;
    await using stack = new AsyncDisposableStack();
    stack.use(previous);
    const { url } = stack.use(await createEmptyDatabase());
    const sql = stack.use(openSql(url));
    const provider = stack.use(
      await startSimulatedProvider({ apiKey: PROVIDER_CREDENTIAL, tokenDelayMs: 0 }),
    );
    const migrate = (folder: string) =>
      run(process.execPath, ['scripts/service.ts', 'migrate'], folder, { DATABASE_URL: url });
    const ports = await Promise.all(Array.from({ length: 8 }, freePort));
    const take = () => ({ port: ports.pop() ?? 0, internalPort: ports.pop() ?? 0 });
    const [oldPorts, newPorts] = [take(), take()];
    const addresses = [oldPorts, newPorts].map(({ port }) => `127.0.0.1:${port}`);
    const controlPlane = (at: typeof oldPorts, folder: string) =>
      stack.use(new ServiceProcess('control-plane', at, { ...TEST_SECRETS, DATABASE_URL: url }, folder));
    const dataPlane = (folder: string, CONTROL_PLANE_ADDRESS: string) =>
      stack.use(
        new ServiceProcess(
          'data-plane',
          take(),
          {
            INTERNAL_TOKEN,
            API_KEY_LOOKUP_PEPPER,
            SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
            DRAIN_TIMEOUT_MS: '1000',
            CONTROL_PLANE_ADDRESS,
          },
          folder,
        ),
      );
    const oldControl = controlPlane(oldPorts, previous.folder);
    const newControl = controlPlane(newPorts, ROOT);
    const oldData = dataPlane(previous.folder, addresses.join(','));
    const newData = dataPlane(ROOT, addresses.toReversed().join(','));
    const adminOf = (address: string) =>
      stack.adopt(new ControlPlaneClient({ addresses: [address], token: ADMIN_TOKEN, tls: {} }), (client) =>
        client.close(),
      );
    const [viaOld, viaNew] = [adminOf(addresses[0] ?? ''), adminOf(addresses[1] ?? '')];

    // The previous release, alone.
    migrate(previous.folder);
    await oldControl.start();
    await viaOld.call(CALL_MS, 'catalog', 'applyCatalog', {
      documentJson: JSON.stringify(simulatedCatalog(provider.baseUrl)),
    });
    await oldData.start();
    const { id: account } = await viaOld.call(CALL_MS, 'accounts', 'createAccount', {
      email: 'drill@example.com',
      name: 'Drill',
    });
    const many = { value: 1_000_000 };
    await viaOld.call(CALL_MS, 'accounts', 'setLimits', {
      account,
      freePerMinute: many,
      paidPerMinute: many,
    });
    await addPool(viaOld, { kind: 'account', id: account }, '1000');
    const createKey = async (admin: ControlPlaneClient) => {
      const created = await admin.call(CALL_MS, 'accounts', 'createKey', { account, name: 'drill' });
      return { id: created.key?.id ?? '', rawKey: created.rawKey };
    };
    const revokeKey = (admin: ControlPlaneClient, keyId: string) =>
      admin.call(CALL_MS, 'accounts', 'revokeKey', { keyId });
    const paying = await createKey(viaOld);

    const answers: Answer[] = [];
    const running = new Map<ServiceProcess, number>();
    let serving = [oldData];
    let stopped = false;
    const load = Array.from({ length: LANES }, async (_, lane) => {
      while (!stopped) {
        const plane = serving[lane % serving.length] ?? oldData;
        running.set(plane, (running.get(plane) ?? 0) + 1);
        answers.push(await send(plane.port, paying.rawKey, { image: true }));
        running.set(plane, (running.get(plane) ?? 0) - 1);
        await wait(5);
      }
    });
    await wait(PHASE_MS);

    // The schema first, under load; then this release beside the previous one.
    migrate(ROOT);
    await newControl.start();
    await oldControl.stop();
    await oldControl.start();
    await newData.start();
    serving = [oldData, newData];
    await wait(PHASE_MS);

    const ask = async (port: number, rawKey: string, model = 'sim/chat-free') => {
      // On a machine under load, a look-up may time out with 503. Send the request again.
      for (;;) {
        const { status } = await send(port, rawKey, { model });
        if (status !== 503) return status;
      }
    };
    const statuses = (rawKey: string) => Promise.all([oldData, newData].map(({ port }) => ask(port, rawKey)));
    for (const [creator, revoker] of [
      [viaOld, viaNew],
      [viaNew, viaOld],
      [viaNew, viaNew],
      [viaOld, viaOld],
    ] as const) {
      const key = await createKey(creator);
      expect(await statuses(key.rawKey)).toEqual([200, 200]);
      expect((await revokeKey(revoker, key.id)).unconfirmedInstances).toEqual([]);
      expect(await statuses(key.rawKey)).toEqual([401, 401]);
    }
    const written = await createKey(viaNew);

    // Rollback: the previous release goes on with the data that was written meanwhile.
    serving = [oldData];
    // A load balancer sends nothing to a data plane that is about to stop.
    await until(() => running.get(newData) === 0, 60_000);
    await newData.stop();
    await newControl.stop();
    expect(migrate(previous.folder)).toContain('nothing to do');
    await wait(PHASE_MS);
    stopped = true;
    await Promise.all(load);
    await oldControl.stop();
    await oldControl.start();
    expect(await ask(oldData.port, written.rawKey)).toBe(200);
    expect(await disagreements(viaOld)).toEqual([]);

    // And forward again.
    expect(migrate(ROOT)).toBe('nothing to do\n');
    await newControl.start();
    const served = answers.filter(({ status }) => status === 200);
    // While control planes come and go, a data plane may run out of held money.
    expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
    const billed = async () =>
      new Set((await sql.rows('SELECT request_id FROM usage_records')).map((row) => JSON.stringify(row)));
    await until(async () => {
      const ids = await billed();
      return served.every(({ requestId }) => ids.has(JSON.stringify({ request_id: requestId })));
    }, 30_000);
    expect(await disagreements(viaNew)).toEqual([]);
    process.stdout.write(
      `upgrade drill: ${answers.length} paid requests, ${answers.length - served.length} answered 503, all others billed once\n`,
    );
  });
});

async function disagreements(admin: ControlPlaneClient): Promise<{ problem: string }[]> {
  const answer = await admin.call(CALL_MS, 'pools', 'verifyLedger', {});
  return answer.disagreements;
}

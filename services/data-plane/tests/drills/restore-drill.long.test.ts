import { ControlPlaneClient } from '@model-gateway/contracts';
import { simulatedCatalog, TEST_SECRETS, until } from '@model-gateway/test-kit';
import { startArchivedPostgres } from '@model-gateway/test-kit/archived-postgres';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runWith } from '../../../../packages/cli/tests/gatewayctl-fixture.ts';
import { at, send, startLoad } from './outage-money-load.ts';
import { poolProblems, startMoneyStack } from './outage-money-stack.ts';

const { ADMIN_TOKEN } = TEST_SECRETS;
const LANES = 4;
const instant = z.tuple([z.object({ at: z.string() })]);

describe('a restore to a point in time, under a running gateway', () => {
  it('a restore keeps the accounts right, and revocations since then are found in the log and repeated', async () => {
    await using postgres = await startArchivedPostgres();
    await using stack = await startMoneyStack({
      databaseUrl: postgres.databaseUrl,
      controlPlanes: 2,
      dataPlanes: 2,
      controlPlaneEnvironment: { LOG_LEVEL: 'info' },
    });
    const payer = await stack.createPayer('1000');
    const [early, late] = [await stack.createPayer('1'), await stack.createPayer('1')];
    const environment = { CONTROL_PLANE_ADDRESS: at(stack.controlPlaneAddresses, 0), ADMIN_TOKEN };
    const gatewayctl = async (...args: string[]) => {
      const outcome = await runWith(environment, args);
      expect(outcome).toMatchObject({ code: 0, err: '' });
      return outcome.out;
    };
    const statuses = async (rawKey: string) =>
      await Promise.all(
        stack.dataPlanes.map(
          async ({ port }) => (await send(port, rawKey, { model: 'sim/chat-free' })).status,
        ),
      );
    const load = startLoad(LANES, 5, (lane) =>
      send(at(stack.dataPlanes, lane % 2).port, payer.rawKey, { image: true }),
    );
    const served = () => load.answers.filter(({ status }) => status === 200).length;
    const more = async (count: number, timeoutMs = 60_000) => {
      const enough = served() + count;
      await until(() => served() >= enough, timeoutMs);
    };
    await more(50);
    const how = await postgres.baseBackup();
    await more(50);
    await gatewayctl('keys', 'revoke', early.keyId);
    await more(50);
    const [{ at: moment }] = instant.parse(await stack.sql.rows('SELECT clock_timestamp()::text AS at'));

    // All of this will be lost.
    await more(50);
    await gatewayctl('keys', 'revoke', late.keyId);
    expect(await statuses(late.rawKey)).toEqual([401, 401]);
    await applyPrice(stack.controlPlaneAddresses, stack.provider.baseUrl, '0.05');
    const lostVersion = await newestPrice(stack.sql);
    await postgres.archiveAll();
    const logged = () => stack.controlPlanes.map(({ logText }) => logText).join('');
    await until(() => logged().includes(`"key_id":"${late.keyId}"`));
    const log = logged();
    const lostAtMs = performance.now();
    await postgres.loseAndRestore(moment);
    const restoredMs = performance.now() - lostAtMs;
    await until(
      () => stack.controlPlanes.every(({ logText }) => logText.includes('the database was restored')),
      60_000,
    );
    await until(async () => (await statuses(payer.rawKey)).every((status) => status === 200), 60_000);
    expect(await stack.verifyLedger()).toEqual([]);
    const back = served();
    await more(100);
    const servedAgainMs = performance.now() - lostAtMs;

    expect(await statuses(early.rawKey)).toEqual([401, 401]);
    const listed = z
      .array(z.object({ key_id: z.string(), was: z.string() }))
      .parse(
        JSON.parse(
          (await runWith(environment, ['keys', 'revoke', '--from-log', '-', '--dry-run', '--json'], log)).out,
        ),
      );
    expect(listed).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key_id: early.keyId, was: 'revoked' }),
        expect.objectContaining({ key_id: late.keyId, was: 'active' }),
      ]),
    );
    const again = await runWith(environment, ['keys', 'revoke', '--from-log', '-'], log);
    expect(again.out).toMatch(/1 of 2 logged keys revoked\n$/);
    expect(await statuses(late.rawKey)).toEqual([401, 401]);

    await applyPrice(stack.controlPlaneAddresses, stack.provider.baseUrl, '0.06');
    expect(await newestPrice(stack.sql)).toBeGreaterThan(lostVersion);
    await more(50);
    await load.stop();
    const last = load.answers.filter(({ status }) => status === 200).slice(back);
    await until(async () => {
      const records = await stack.usageRecords();
      return last.every(({ requestId }) => records.has(requestId ?? ''));
    }, 60_000);
    expect(await stack.verifyLedger()).toEqual([]);
    expect(poolProblems(await stack.pools())).toEqual([]);
    process.stdout.write(
      `restore drill: base backup by ${how}, restored in ${(restoredMs / 1_000).toFixed(1)} s, served 100 more after ` +
        `${(servedAgainMs / 1_000).toFixed(1)} s; ${last.length} requests since, all billed\n`,
    );
  });
});

async function applyPrice(addresses: readonly string[], baseUrl: string, usd: string): Promise<void> {
  const client = new ControlPlaneClient({ addresses, token: ADMIN_TOKEN, tls: {} });
  const document = simulatedCatalog(baseUrl);
  const models = document.models.map((model) =>
    model.id === 'sim/image-pro' ? { ...model, pricing: { image_usd: usd } } : model,
  );
  try {
    await client.call(10_000, 'catalog', 'applyCatalog', {
      documentJson: JSON.stringify({ ...document, models }),
    });
  } finally {
    client.close();
  }
}

async function newestPrice(sql: { rows(statement: string): Promise<unknown[]> }): Promise<number> {
  const [{ version }] = z
    .tuple([z.object({ version: z.number() })])
    .parse(
      await sql.rows("SELECT max(version) AS version FROM model_prices WHERE model_id = 'sim/image-pro'"),
    );
  return version;
}

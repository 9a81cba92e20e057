import { setTimeout as wait } from 'node:timers/promises';
import { until } from '@model-gateway/test-kit';
import { startOwnPostgres } from '@model-gateway/test-kit/own-postgres';
import { expect } from 'vitest';
import { z } from 'zod';
import { addBudget } from '../money/budget-fixture.ts';
import { at, send, startLoad, statusesOf } from './outage-money-load.ts';
import { startMoneyStack } from './outage-money-stack.ts';

/** Price of an image, as much as is held for it. */
const IMAGE_NANO_USD = 40_000_000n;
const PLANES = 2;
const LEVELS = ['key', 'account'] as const;

const windowRows = z.array(z.object({ id: z.string(), held: z.coerce.bigint(), spent: z.coerce.bigint() }));

export interface BudgetKillDrill {
  /** Requests that the smaller budget covers. */
  covered: number;
  /** Number of kills; each process is killed in turn, Postgres too. */
  kills: number;
  lanes: number;
}

/**
 * Kills every process of a gateway in turn while requests keep coming, far more than budgets cover. At no
 * moment is more held and spent than a budget allows, and no more requests are served.
 * @returns figures for the log
 */
export async function budgetKillDrill({ covered, kills, lanes }: BudgetKillDrill): Promise<string> {
  await using postgres = await startOwnPostgres();
  await using stack = await startMoneyStack({
    databaseUrl: postgres.databaseUrl,
    controlPlanes: PLANES,
    dataPlanes: PLANES,
    // Each answer that a client gets is charged, also when its data plane is killed right after it.
    settlement: 'acknowledged',
  });
  const { keyId, rawKey } = await stack.createPayer('1000');
  const query = async (sql: string, values: readonly unknown[] = []) =>
    z.array(z.record(z.string(), z.unknown())).parse(await stack.sql.rows(sql, ...values));
  const [key] = await query('SELECT account_id FROM api_keys WHERE id = $1', [keyId]);
  const limits = [BigInt(covered), BigInt(covered + 5)].map((count) => count * IMAGE_NANO_USD);
  const budgets = await Promise.all(
    LEVELS.map((level, index) =>
      addBudget({ query }, `${level}:${level === 'key' ? keyId : key?.account_id}`, at(limits, index)),
    ),
  );
  const windows = async () =>
    windowRows.parse(await query('SELECT id, held::text, spent::text FROM budget_windows'));
  const tooMuch: string[] = [];
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      // Postgres may be away.
      for (const { id, held, spent } of await windows().catch(() => [])) {
        const limit = at(limits, budgets.indexOf(id.slice(0, id.indexOf('/'))));
        if (held + spent > limit || held < 0n || spent < 0n)
          tooMuch.push(`${id}: held ${held}, spent ${spent}`);
      }
      await wait(50);
    }
  })();
  const load = startLoad(lanes, 10, (lane) =>
    send(at(stack.dataPlanes, lane % PLANES).port, rawKey, { image: true, simulate: { delay_ms: 30 } }),
  );
  const victims = [...stack.dataPlanes, ...stack.controlPlanes];
  for (let kill = 0; kill < kills; kill++) {
    await wait(300 + Math.random() * 1_000);
    const turn = kill % (victims.length + 1);
    if (turn === victims.length) {
      postgres.kill();
      await wait(Math.random() * 500);
      await postgres.restart();
    } else {
      await at(victims, turn).kill();
      await wait(Math.random() * 500);
      await at(victims, turn).start();
    }
  }
  // Until the budget is used up, also what killed data planes had held.
  const spentAll = async () => (await windows()).some(({ spent }) => spent === at(limits, 0));
  await until(spentAll);
  await load.stop();
  await until(async () => (await windows()).every(({ held }) => held === 0n));
  isOver = true;
  await watching;
  const statuses = statusesOf(load.answers);
  expect(tooMuch).toEqual([]);
  expect(await stack.verifyLedger()).toEqual([]);
  expect((await windows()).map(({ spent }) => spent)).toEqual([at(limits, 0), at(limits, 0)]);
  expect(statuses['200'] ?? 0).toBeLessThanOrEqual(covered);
  const [sums] = await query(`SELECT sum(charged)::text AS charged FROM usage_records`);
  expect(sums?.charged).toBe(String(at(limits, 0)));
  return JSON.stringify({ kills, covered, statuses, providerSaw: stack.provider.requests.length });
}

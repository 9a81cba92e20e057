import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { PartResult } from '../results/part-result.ts';
import { numberText, spreadOf } from '../results/statistics.ts';
import { POSTGRES_KINDS, type PostgresKind } from '../storage/postgres-usage.ts';
import { type Release, THIS_RELEASE } from '../storage/release.ts';
import { SettlementSite, type SiteUsage } from '../storage/settlement-site.ts';
import type { StorageRun } from '../storage/storage-run.ts';

const GOAL_RATIO_TO_BEFORE = 0.25;
/** Rounds of the same code differ by up to this ratio. */
const GOAL_FILLED_RATIO = 1.1;

/** The cost of a record in a round. Time on a core is in µs. */
interface Cost {
  postgres: number;
  byKind: Record<PostgresKind, number>;
  controlPlane: number;
  logBytes: number;
  diskBytes: number;
}

const NOTHING: Cost = {
  postgres: 0,
  byKind: { backends: 0, 'WAL writer': 0, checkpointer: 0, autovacuum: 0, others: 0 },
  controlPlane: 0,
  logBytes: 0,
  diskBytes: 0,
};

interface MeasuredSite {
  site: SettlementSite;
  release: Release;
  payers: number;
  isFilled: boolean;
  rounds: Cost[];
  /** The cost of adding the minutes of all rounds to hours and days; included in each round. */
  widening: Cost;
}

/**
 * Measures the cost of storing and charging a request, from the stream of a data plane to the last sum of
 * usage. The sites settle in turn.
 */
export async function measureSettling(run: StorageRun): Promise<PartResult> {
  const { records, rounds, warmUp, idleMs } = run.plan.settling;
  await using stack = run.stack.use(new AsyncDisposableStack());
  const measured = await startSites(run, stack);
  const sites = measured.map(({ site }) => site);
  run.say('settling: warming up ...');
  for (const site of sites) await site.settle(warmUp);
  await allSummedUp(sites);
  const idle = await idleUsage(sites, idleMs);
  for (let round = 0; round < rounds; round++) {
    const before = new Map<SettlementSite, SiteUsage>();
    for (const site of sites) {
      run.say(`settling, round ${round + 1}: ${site.label}`);
      before.set(site, await site.usage());
      await site.settle(records);
    }
    // The measurement of all sites ends here, because their Postgres works in the background until now.
    await allSummedUp(sites);
    for (const { site, rounds: costs } of measured) {
      const from = before.get(site);
      const rest = idle.get(site);
      if (from !== undefined && rest !== undefined)
        costs.push(costOf(from, await site.usage(), rest, records));
    }
  }
  run.say('settling: waiting until the minutes are over ...');
  await wait(run.plan.settling.untilOverMs);
  for (const each of measured) {
    const { site } = each;
    const from = await site.usage();
    await site.storage.database.widen();
    // The background work of Postgres follows.
    await wait(idleMs);
    each.widening = costOf(from, await site.usage(), idle.get(site), site.settled);
    each.rounds = each.rounds.map((cost) => sumOf(cost, each.widening));
  }
  addGoals(run, measured);
  await checkLedgers(run, measured);
  return {
    name: 'settling',
    title: 'Settling',
    note:
      `Time on a core per record, in µs, of ${numberText(records, 0)} records in batches of ` +
      `${run.plan.settling.batch} over ${numberText(run.plan.settling.keys, 0)} keys, from the stream of a data plane ` +
      'until the sums of usage, those of hours and days included, have them all; without what Postgres and the ' +
      'control plane use when nothing is settled. Each site has a durable Postgres, on the core under test, and a control plane of its own.',
    columns: ['Per record', ...sites.map(({ label }) => label)],
    rows: rowsOf(measured),
    rounds: Object.fromEntries(measured.map(({ site, rounds: costs }) => [site.label, costs])),
  };
}

async function startSites(run: StorageRun, stack: AsyncDisposableStack): Promise<MeasuredSite[]> {
  const { against, cores, environment, plan, store, workDir } = run;
  const { batch, payerCounts } = plan.settling;
  const common = { batch, environment, cores, logDir: workDir };
  const measured: MeasuredSite[] = [];
  for (const payers of payerCounts) {
    for (const release of [THIS_RELEASE, ...(against === undefined ? [] : [against])]) {
      const label = `${numberText(payers, 0)} payers${against === undefined ? '' : `, ${release.name}`}`;
      run.say(`settling: starting ${label} ...`);
      const name = `settling-${payers}-${release.name}`;
      const size = { payers, keys: plan.settling.keys };
      const dataDir = join(workDir, name);
      const site = await SettlementSite.start({ ...common, name, label, release, size, dataDir });
      const found = { rounds: [], widening: NOTHING };
      measured.push({ site: stack.use(site), release, payers, isFilled: false, ...found });
    }
  }
  if (store !== undefined) {
    const label = `${numberText(store.payers, 0)} payers, ${numberText(store.records, 0)} stored`;
    run.say(`settling: starting ${label} ...`);
    const site = await SettlementSite.start({
      ...common,
      name: 'settling-filled',
      label,
      release: THIS_RELEASE,
      size: undefined,
      dataDir: store.dataDir,
      pepper: store.pepper,
    });
    const found = { rounds: [], widening: NOTHING };
    const { payers } = store;
    measured.push({ site: stack.use(site), release: THIS_RELEASE, payers, isFilled: true, ...found });
  }
  return measured;
}

async function allSummedUp(sites: readonly SettlementSite[]): Promise<void> {
  await Promise.all(sites.map((site) => site.summedUp()));
}

/** Measures the use of each idle site per second. */
async function idleUsage(sites: readonly SettlementSite[], idleMs: number) {
  const before = await Promise.all(sites.map(async (site) => [site, await site.usage()] as const));
  await wait(idleMs);
  const costs = new Map<SettlementSite, Cost>();
  for (const [site, from] of before) {
    const to = await site.usage();
    costs.set(site, costOf(from, to, undefined, (to.atMs - from.atMs) / 1_000));
  }
  return costs;
}

/** @param idle the use of an idle site per second, which is subtracted */
function costOf(from: SiteUsage, to: SiteUsage, idle: Cost | undefined, count: number): Cost {
  const seconds = (to.atMs - from.atMs) / 1_000;
  const share = (used: number, idlePerSecond = 0) => (used - idlePerSecond * seconds) / count;
  const us = (fromMs: number, toMs: number, idlePerSecond?: number) =>
    share((toMs - fromMs) * 1_000, idlePerSecond);
  const byKind = { ...NOTHING.byKind };
  for (const kind of POSTGRES_KINDS)
    byKind[kind] = us(from.postgres[kind], to.postgres[kind], idle?.byKind[kind]);
  return {
    postgres: Object.values(byKind).reduce((sum, value) => sum + value, 0),
    byKind,
    controlPlane: us(from.controlPlaneMs, to.controlPlaneMs, idle?.controlPlane),
    logBytes: share(to.volume.log - from.volume.log, idle?.logBytes),
    diskBytes: share(to.volume.database - from.volume.database, idle?.diskBytes),
  };
}

function sumOf(one: Cost, other: Cost): Cost {
  const byKind = { ...one.byKind };
  for (const kind of POSTGRES_KINDS) byKind[kind] += other.byKind[kind];
  return {
    postgres: one.postgres + other.postgres,
    byKind,
    controlPlane: one.controlPlane + other.controlPlane,
    logBytes: one.logBytes + other.logBytes,
    diskBytes: one.diskBytes + other.diskBytes,
  };
}

function rowsOf(measured: readonly MeasuredSite[]): string[][] {
  const row = (says: string, pick: (cost: Cost) => number, digits: number) => [
    says,
    ...measured.map(({ rounds }) => spreadOf(rounds, pick, digits)),
  ];
  return [
    row('Postgres, µs', ({ postgres }) => postgres, 1),
    ...POSTGRES_KINDS.map((kind) => row(`of it ${kind}`, ({ byKind }) => byKind[kind], 1)),
    ['of it sums of hours and days', ...measured.map(({ widening }) => numberText(widening.postgres, 1))],
    row('control plane, µs', ({ controlPlane }) => controlPlane, 1),
    row('write-ahead log, bytes', ({ logBytes }) => logBytes, 0),
    row('tables and indexes, bytes', ({ diskBytes }) => diskBytes, 0),
  ];
}

function addGoals(run: StorageRun, measured: readonly MeasuredSite[]): void {
  const inPostgres = ({ rounds }: MeasuredSite) => rounds.map(({ postgres }) => postgres);
  const findUnfilled = (release: Release | undefined, payers: number) =>
    measured.find((other) => other.release === release && other.payers === payers && !other.isFilled);
  for (const each of measured) {
    if (each.release !== THIS_RELEASE) continue;
    const against = findUnfilled(each.isFilled ? THIS_RELEASE : run.against, each.payers);
    if (against === undefined) continue;
    const payers = `${numberText(each.payers, 0)} payers`;
    run.findings.ratioGoal(
      each.isFilled
        ? `Settling a record of ${payers} costs Postgres, with ${each.site.label.split(', ').at(-1)}, against none,`
        : `Settling a record of ${payers} costs Postgres, against the release before,`,
      {
        rounds: inPostgres(each),
        against: inPostgres(against),
        atMost: each.isFilled ? GOAL_FILLED_RATIO : GOAL_RATIO_TO_BEFORE,
        unit: 'µs',
      },
    );
  }
}

/** Skips filled databases: comparing millions of records with the ledger takes minutes. */
async function checkLedgers(run: StorageRun, measured: readonly MeasuredSite[]): Promise<void> {
  for (const { site, isFilled } of measured) {
    if (isFilled) continue;
    const { records, disagreements } = await site.storage.verifyLedger();
    run.findings.assert(
      `settling, ${site.label}: every record is stored once, and the ledger agrees`,
      records === site.settled && disagreements.length === 0,
      `${records} of ${site.settled} records, ${disagreements[0] ?? 'no disagreement'}`,
    );
  }
}

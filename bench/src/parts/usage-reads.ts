import type { PartResult } from '../results/part-result.ts';
import { numberText, percentile } from '../results/statistics.ts';
import type { FilledStore } from '../storage/filled-store.ts';
import { startDashboard, startDataPlane } from '../storage/reading-services.ts';
import { THIS_RELEASE } from '../storage/release.ts';
import { Storage } from '../storage/storage.ts';
import type { StorageRun } from '../storage/storage-run.ts';

const DAY_SECONDS = 86_400;
const PERIOD_DAYS = 30;
const GOAL_MS = { api: 50, dashboard: 200 } as const;
const MAX_RESPONSE_MS = 60_000;

interface RepeatedRequest {
  says: string;
  url: string;
  headers: (index: number) => Record<string, string>;
  goalMs?: number;
}

interface Answers {
  /** How long each took, in milliseconds. */
  times: number[];
  bytes: number;
}

/** Measures reads of a month's usage among millions of records. */
export async function measureUsageReads(run: StorageRun): Promise<PartResult> {
  const { cores, environment, plan, store, workDir } = run;
  if (store === undefined) {
    throw new Error('the part usage-reads needs a filled database: npm run bench -- --fill 10');
  }
  await using stack = run.stack.use(new AsyncDisposableStack());
  run.say(`usage reads: starting, with ${store.records} records ...`);
  const { dataDir, pepper } = store;
  const own = { name: 'reads', release: THIS_RELEASE, dataDir, pepper };
  const storage = stack.use(await Storage.start({ ...own, environment, logDir: workDir, cores }));
  await storage.database.keepLease();
  await storage.database.widen();
  const requests = await startReading(run, store, storage, stack);
  const rows: string[][] = [];
  const rounds: Record<string, Answers> = {};
  for (const request of requests) {
    run.say(`usage reads: ${request.says}`);
    // In the first pass, the data plane looks up each key.
    await ask(request, plan.usageReads.times);
    const answers = await ask(request, plan.usageReads.times);
    rounds[request.says] = answers;
    const at = (share: number) => percentile(answers.times, share);
    rows.push([
      request.says,
      numberText(at(0.5), 1),
      numberText(at(0.95), 1),
      numberText(at(1), 1),
      numberText(answers.bytes / 1_000, 1),
    ]);
    const { goalMs } = request;
    if (goalMs === undefined) continue;
    const says = `${request.says} over ${numberText(store.records, 0)} records, p95`;
    run.findings.goal(says, [at(0.95)], goalMs, 'ms');
  }
  return {
    name: 'usage-reads',
    title: 'Reading usage',
    note:
      `${PERIOD_DAYS} days of usage, ${numberText(store.records, 0)} records of ${numberText(store.payers, 0)} ` +
      `accounts; milliseconds of ${plan.usageReads.times} requests, one after the other, each with another key.`,
    columns: ['Request', 'p50', 'p95', 'at most', 'kB'],
    rows,
    rounds,
  };
}

async function startReading(
  run: StorageRun,
  store: FilledStore,
  storage: Storage,
  stack: AsyncDisposableStack,
): Promise<RepeatedRequest[]> {
  const reading = { storage, logDir: run.workDir, stack };
  const api = await startDataPlane(reading);
  const [account = ''] = await storage.database.payers();
  const { url, visitor } = await startDashboard(reading, run.environment, account);
  const now = Math.floor(Date.now() / 1_000);
  const start = now - PERIOD_DAYS * DAY_SECONDS;
  const month = `${api}/v1/usage?start_time=${start}&end_time=${now}`;
  const headers = (index: number) => ({
    authorization: `Bearer ${store.rawKeys[index % store.rawKeys.length]}`,
  });
  return [
    { says: 'GET /v1/usage of a month', url: month, headers, goalMs: GOAL_MS.api },
    { says: 'GET /v1/usage of a month by model', url: `${month}&group_by=model`, headers },
    { says: 'GET /v1/usage of a month by key', url: `${month}&group_by=key`, headers },
    {
      says: 'the usage page of the dashboard, a month',
      url: `${url}/api/usage?fromMs=${start * 1_000}&toMs=${now * 1_000}&width=day`,
      headers: () => visitor.headers,
      goalMs: GOAL_MS.dashboard,
    },
  ];
}

/** @throws when an answer is not 200 */
async function ask({ says, url, headers }: RepeatedRequest, times: number): Promise<Answers> {
  const answers: Answers = { times: [], bytes: 0 };
  for (let index = 0; index < times; index++) {
    const startedMs = performance.now();
    const answer = await fetch(url, {
      headers: headers(index),
      signal: AbortSignal.timeout(MAX_RESPONSE_MS),
    });
    const body = await answer.text();
    answers.times.push(performance.now() - startedMs);
    if (!answer.ok) throw new Error(`${says}: ${answer.status} ${body}`);
    answers.bytes = Buffer.byteLength(body);
  }
  return answers;
}

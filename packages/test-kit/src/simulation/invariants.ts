import type { Observed } from './observed.ts';
import type { Plan } from './plan.ts';
import { costOf } from './simulated-provider.ts';
import { CALL_MS, DATA_PLANES, KEYS, type World } from './world.ts';

/** A killed data plane may lose the records of this time, or more while its reports are held up. */
const MAX_LOST_MS = 100;
/** A data plane that is silent for at most this time keeps its allowances. */
const MAX_SILENT_MS = 8_500;
/** Statuses of requests that the rate limit admitted. */
const ADMITTED = [200, 402, 502];

/** Checks what must hold after every run. @returns a sentence for each thing that does not hold */
export async function findProblems(world: World, observed: Observed): Promise<string[]> {
  return [
    ...(await findLedgerProblems(world)),
    ...(await findWrongBills(world, observed)),
    ...findAdmittedRevokedKeys(observed),
    ...findExceededLimits(observed),
    ...findEndlessRequests(observed),
  ];
}

async function findLedgerProblems(world: World): Promise<string[]> {
  const problems: string[] = [];
  const pools = await world.rows('SELECT id, included, remaining, held, charged FROM pools');
  for (const { id, ...amounts } of pools) {
    const amount = (name: string) => BigInt(String(amounts[name]));
    const isOverdrawn = amount('remaining') < 0n || amount('charged') > amount('included');
    if (isOverdrawn)
      problems.push(`pool ${id} is overdrawn: ${amounts.remaining} left, ${amounts.charged} charged`);
    if (amount('held') !== 0n) problems.push(`${amounts.held} stay held of pool ${id}`);
  }
  const ledger = await world.call(() => world.admin.call(CALL_MS, 'pools', 'verifyLedger', {}));
  for (const { kind, id, problem } of ledger.disagreements) problems.push(`ledger: ${kind} ${id} ${problem}`);
  return problems;
}

async function findWrongBills(world: World, observed: Observed): Promise<string[]> {
  const problems: string[] = [];
  const costs = new Map<string, bigint>();
  const uncollected = mayLoseAllowances(observed) ? 0 : await sumUncollected(world);
  if (uncollected > 0) problems.push(`${uncollected} nano-USD of the bills are not collected`);
  for (const row of await world.rows(
    'SELECT request_id, cost, held FROM usage_records ORDER BY request_id',
  )) {
    const id = String(row.request_id);
    const cost = BigInt(String(row.cost));
    if (costs.has(id)) problems.push(`${id} is billed twice`);
    if (cost > BigInt(String(row.held))) problems.push(`${id} costs ${cost}, but only ${row.held} were held`);
    costs.set(id, cost);
  }
  for (const { request, response, endedAtMs } of observed.exchanges) {
    const { isWhole, requestId, status } = response;
    if (status !== 200 || !isWhole || response.body.includes('"error"')) continue;
    const cost = costs.get(requestId);
    const expected = costOf(request.tokens);
    if (cost === expected || mayBeLost(observed, request.dataPlane, endedAtMs)) continue;
    problems.push(`request ${request.number} (${requestId}) costs ${cost} instead of ${expected}`);
  }
  return problems;
}

async function sumUncollected(world: World): Promise<number> {
  const [row] = await world.rows('SELECT coalesce(sum(uncollected), 0)::int AS sum FROM usage_records');
  return Number(row?.sum);
}

/**
 * Returns true if a data plane may have been silent for so long that its money was given to others while its
 * requests ran.
 */
function mayLoseAllowances({ faults }: Observed): boolean {
  const totalMs = faults.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
  return totalMs > MAX_SILENT_MS;
}

/** Returns true if a killed data plane may have lost the record, which it reports in the background. */
function mayBeLost(observed: Observed, dataPlane: string, endedAtMs: number): boolean {
  if (observed.plan.settlement === 'acknowledged') return false;
  const crashAtMs = crashTimes(observed, dataPlane).find((atMs) => atMs >= endedAtMs - 1);
  if (crashAtMs === undefined) return false;
  const isHeldUp = observed.faults.some(
    ({ fault, fromMs, untilMs }) =>
      !(fault.kind === 'crash' && fault.name === dataPlane) &&
      fromMs <= crashAtMs &&
      untilMs >= endedAtMs - 10_000,
  );
  return isHeldUp || crashAtMs - endedAtMs < MAX_LOST_MS;
}

/** Finds requests with a revoked key that a data plane admitted, although the revocation did not name it. */
function findAdmittedRevokedKeys({ exchanges, revocations }: Observed): string[] {
  return revocations.flatMap(({ key, atMs, unconfirmed }) =>
    exchanges
      .filter(
        ({ request, sentAtMs, response, instanceId = '' }) =>
          request.key === key &&
          sentAtMs > atMs &&
          response.status === 200 &&
          !unconfirmed.includes(instanceId),
      )
      .map(({ request }) => `request ${request.number} was admitted after the revocation of key ${key}`),
  );
}

/** Counts whole runs: none lasts a minute, so each store of a limit admits its share at most once. */
function findExceededLimits(observed: Observed): string[] {
  const { exchanges, plan } = observed;
  const starts = (name: string) => 1 + crashTimes(observed, name).length;
  const dataPlaneStarts = DATA_PLANES.reduce((sum, name) => sum + starts(name), 0);
  const share = Math.ceil(plan.limit / DATA_PLANES.length);
  const withRedis = plan.limit * starts('redis') + (mayCountInMemory(plan) ? share * dataPlaneStarts : 0);
  const max = plan.hasRedis ? withRedis : plan.limit * dataPlaneStarts;
  return Array.from({ length: KEYS }, (_, key) => key).flatMap((key) => {
    const admitted = exchanges.filter(
      ({ request, response }) => request.key === key && ADMITTED.includes(response.status),
    ).length;
    return admitted <= max ? [] : [`key ${key}: ${admitted} requests of at most ${max} were admitted`];
  });
}

/** Returns true if a data plane may have counted in memory, because Redis was out of reach or starting. */
function mayCountInMemory({ events }: Plan): boolean {
  return events.some(({ fault }) => {
    if (fault === undefined) return false;
    if (fault.kind === 'crash')
      return fault.name === 'redis' || DATA_PLANES.some((name) => name === fault.name);
    return fault.kind !== 'clock' && [fault.from, fault.to].includes('redis');
  });
}

function findEndlessRequests({ exchanges, plan }: Observed): string[] {
  const ended = new Set(exchanges.map(({ request }) => request.number));
  return plan.events.flatMap(({ request }) =>
    request === undefined || ended.has(request.number) ? [] : [`request ${request.number} never ended`],
  );
}

function crashTimes({ faults }: Observed, name: string): number[] {
  return faults.flatMap(({ fault, fromMs }) =>
    fault.kind === 'crash' && fault.name === name ? [fromMs] : [],
  );
}

import type { Observed } from './observed.ts';
import type { Plan } from './plan.ts';
import { costOf } from './simulated-provider.ts';
import { DATA_PLANES, KEYS, type World } from './world.ts';

/** A killed data plane may lose the records of this time, or more while its reports are held up. */
const MAX_LOST_MS = 100;
/** A data plane that is heard again within this time keeps its allowances. */
const MAX_UNHEARD_MS = 8_500;

/** Checks what must hold after every run. @returns what does not, in words */
export async function findProblems(world: World, observed: Observed): Promise<string[]> {
  return [
    ...(await brokenBooks(world)),
    ...(await wrongBills(world, observed)),
    ...acceptedAfterRevocation(observed),
    ...aboveLimits(observed),
    ...unanswered(observed),
  ];
}

async function brokenBooks(world: World): Promise<string[]> {
  const problems: string[] = [];
  const pools = await world.rows('SELECT id, included, remaining, held, charged FROM pools');
  for (const { id, included, remaining, held, charged } of pools) {
    const [a, b, c, d] = [included, remaining, held, charged].map((value) => BigInt(String(value)));
    if (b === undefined || c === undefined || d === undefined) continue;
    if (b < 0n || d > (a ?? 0n)) problems.push(`pool ${id} is overdrawn: ${b} left, ${d} charged`);
    if (c !== 0n) problems.push(`${c} stay held of pool ${id}`);
  }
  const ledger = await world.call(() => world.admin.call(20_000, 'pools', 'verifyLedger', {}));
  for (const { kind, id, problem } of ledger.disagreements) problems.push(`ledger: ${kind} ${id} ${problem}`);
  return problems;
}

async function wrongBills(world: World, observed: Observed): Promise<string[]> {
  const problems: string[] = [];
  const bills = new Map<string, { cost: bigint; held: bigint }>();
  const unpaid = mayLoseAllowances(observed) ? 0 : await sumUncollected(world);
  if (unpaid > 0) problems.push(`${unpaid} nano-USD of the bills are not collected`);
  for (const row of await world.rows(
    'SELECT request_id, cost, held FROM usage_records ORDER BY request_id',
  )) {
    const id = String(row.request_id);
    const { cost, held } = { cost: BigInt(String(row.cost)), held: BigInt(String(row.held)) };
    if (bills.has(id)) problems.push(`${id} is billed twice`);
    if (cost > held) problems.push(`${id} costs ${cost}, but only ${held} were held`);
    bills.set(id, { cost, held });
  }
  for (const { request, answer, endedAtMs } of observed.answers) {
    const { isWhole, requestId, status } = answer;
    if (status !== 200 || !isWhole || answer.body.includes('"error"')) continue;
    const bill = bills.get(requestId);
    const due = costOf(request.tokens);
    if (bill?.cost === due) continue;
    if (mayBeLost(observed, request.dataPlane, endedAtMs)) continue;
    problems.push(`request ${request.number} (${requestId}) costs ${bill?.cost} instead of ${due}`);
  }
  return problems;
}

async function sumUncollected(world: World): Promise<number> {
  const [row] = await world.rows('SELECT coalesce(sum(uncollected), 0)::int AS sum FROM usage_records');
  return Number(row?.sum);
}

/**
 * Returns true if a data plane may have been unheard for so long that its money was given to others while its
 * requests ran.
 */
function mayLoseAllowances({ faults }: Observed): boolean {
  const totalMs = faults.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
  return totalMs > MAX_UNHEARD_MS;
}

/** With `background`, a killed data plane loses what it could not report before. */
function mayBeLost({ crashes, faults, plan }: Observed, dataPlane: string, endedAtMs: number): boolean {
  if (plan.settlement === 'acknowledged') return false;
  const crash = crashes.find(({ name, atMs }) => name === dataPlane && atMs >= endedAtMs - 1);
  if (crash === undefined) return false;
  const isHeldUp = faults.some(
    ({ fault, fromMs, untilMs }) =>
      !(fault.kind === 'crash' && fault.name === dataPlane) &&
      fromMs <= crash.atMs &&
      untilMs >= endedAtMs - 10_000,
  );
  return isHeldUp || crash.atMs - endedAtMs < MAX_LOST_MS;
}

/** After a revocation has returned, no data plane that it does not name admits the key. */
function acceptedAfterRevocation({ answers, revoked }: Observed): string[] {
  return revoked.flatMap(({ key, atMs, unconfirmed }) =>
    answers
      .filter(
        ({ request, askedAtMs, answer, instanceId = '' }) =>
          request.key === key &&
          askedAtMs > atMs &&
          answer.status === 200 &&
          !unconfirmed.includes(instanceId),
      )
      .map(({ request }) => `request ${request.number} was admitted after the revocation of key ${key}`),
  );
}

/** No run lasts a minute, so each store of a limit admits its share at most once. */
function aboveLimits({ answers, crashes, plan }: Observed): string[] {
  const starts = (name: string) => 1 + crashes.filter((crash) => crash.name === name).length;
  const dataPlanes = DATA_PLANES.reduce((sum, name) => sum + starts(name), 0);
  const isDisturbed = observedDisturbance(plan);
  const share = Math.ceil(plan.limit / DATA_PLANES.length);
  const inRedis = plan.limit * starts('redis') + (isDisturbed ? share * dataPlanes : 0);
  const highest = plan.hasRedis ? inRedis : plan.limit * dataPlanes;
  return Array.from({ length: KEYS }, (_, key) => key).flatMap((key) => {
    const admitted = answers.filter(
      ({ request, answer }) => request.key === key && [200, 402, 502].includes(answer.status),
    ).length;
    return admitted <= highest
      ? []
      : [`key ${key}: ${admitted} requests of at most ${highest} were admitted`];
  });
}

/** Returns true if a data plane may have counted in memory, because Redis was away from it or starting. */
function observedDisturbance({ events }: Plan): boolean {
  return events.some(({ fault }) => {
    if (fault === undefined) return false;
    if (fault.kind === 'crash')
      return fault.name === 'redis' || DATA_PLANES.some((name) => name === fault.name);
    return fault.kind !== 'clock' && [fault.from, fault.to].includes('redis');
  });
}

function unanswered({ answers, plan }: Observed): string[] {
  const ended = new Set(answers.map(({ request }) => request.number));
  return plan.events.flatMap(({ request }) =>
    request === undefined || ended.has(request.number) ? [] : [`request ${request.number} never ended`],
  );
}

import type { Bench } from '../bench.ts';
import { PRICE_USD } from '../gateway/bench-catalog.ts';
import type { GatewayOptions } from '../gateway/gateway.ts';
import { RAISED_LIMIT } from '../gateway/seed-gateway.ts';
import { warmKeys } from '../gateway/warm-keys.ts';
import { startLoadBalancer } from '../processes/load-balancer.ts';
import { cpuMsOf, familyOf } from '../processes/process-usage.ts';
import type { Service } from '../processes/service.ts';
import type { PartResult } from '../results/part-result.ts';
import { spreadText } from '../results/statistics.ts';
import { anotherTarget } from '../targets/own-targets.ts';
import { type Target, trafficTo } from '../targets/target.ts';
import { requestBody, SMALL } from '../wire/request-body.ts';
import { CHAT_USAGE } from '../wire/streamed-answers.ts';

const MAX_RATIO = 1.05;
/** More than a run takes. */
const MEASURE_MS = 120_000;
const POOL_NANO_USD = 5_000_000;
const PER_MINUTE = 200;
/** How many times more requests than the limit and the pool allow. */
const TOO_MANY = 3;

interface Fleet {
  services: readonly Service[];
  target: Target;
}

/**
 * Measures the CPU time of a request in fleets of data planes behind a load balancer, with the same number of
 * connections for each data plane, and that the largest fleet keeps limits and money.
 */
export async function measureScale(
  bench: Bench,
  start: Pick<GatewayOptions, 'environment' | 'workDir'>,
): Promise<PartResult> {
  const { gateway, plan } = bench;
  const { rounds, counts, connections, requests, warmUp } = plan.scale;
  await using stack = new AsyncDisposableStack();
  const services: Service[] = [];
  for (let index = 0; index < Math.max(...counts); index++) {
    bench.say(`scale: starting data plane ${index + 1}`);
    const service = await gateway.startAnother({ name: `fleet-${index}` });
    stack.defer(() => gateway.stopAnother(service));
    services.push(service);
    const own = anotherTarget(bench.gatewayTarget, service, { name: `data plane ${index}`, says: '' });
    await warmKeys(bench.load, own, plan.keys);
    const job = { connections, warmUpMs: 0, measureMs: MEASURE_MS, requests: warmUp };
    await bench.closedLoop(own, trafficTo(own, SMALL), job);
  }
  const fleets: Fleet[] = [];
  for (const count of counts) fleets.push(await startFleet(bench, start, services.slice(0, count), stack));
  const found = new Map<Fleet, number[]>(fleets.map((fleet) => [fleet, []]));
  for (let round = 0; round < rounds; round++) {
    for (const fleet of fleets) {
      const { services: members, target } = fleet;
      bench.say(`scale, round ${round + 1}: ${members.length}`);
      const families = members.map(({ program }) => familyOf(program.pid));
      await gateway.settled();
      const before = families.map(cpuMsOf);
      const { answers } = await bench.closedLoop(target, trafficTo(target, SMALL), {
        connections: connections * members.length,
        warmUpMs: 0,
        measureMs: MEASURE_MS,
        requests: requests * members.length,
      });
      await gateway.settled();
      const ms = families.reduce((sum, family, index) => sum + cpuMsOf(family) - (before[index] ?? 0), 0);
      found.get(fleet)?.push((ms * 1_000) / Math.max(1, answers));
    }
  }
  const ofOne = found.get(fleets[0] ?? unreachable()) ?? [];
  const largest = fleets.at(-1) ?? unreachable();
  bench.ratioGoal(`CPU per request of ${largest.services.length} data planes, against one,`, {
    rounds: found.get(largest) ?? [],
    against: ofOne,
    atMost: MAX_RATIO,
    unit: 'µs',
  });
  await checkExactness(bench, largest);
  return {
    name: 'scale',
    title: 'Scale',
    note:
      `CPU µs per request of all data planes together, until the last of ${requests} requests for each is ` +
      `settled; HAProxy in front, ${connections} connections for each data plane. They share one core, so ` +
      'requests per second say nothing.',
    columns: ['Data planes', 'CPU µs per request', '× one'],
    rows: [...found].map(([{ services: members }, all]) => [
      `${members.length}`,
      spreadText(all, 0),
      spreadText(
        all.map((value, round) => value / (ofOne[round] ?? Number.NaN)),
        2,
      ),
    ]),
    rounds: Object.fromEntries([...found].map(([{ services: members }, all]) => [members.length, all])),
  };
}

async function startFleet(
  bench: Bench,
  { environment, workDir: logDir }: Pick<GatewayOptions, 'environment' | 'workDir'>,
  services: readonly Service[],
  stack: AsyncDisposableStack,
): Promise<Fleet> {
  const name = `${services.length} data planes`;
  const balancer = await startLoadBalancer(
    { environment, logDir, name: `haproxy-${services.length}` },
    services,
  );
  stack.use(balancer.program);
  return { services, target: anotherTarget(bench.gatewayTarget, balancer, { name, says: '' }) };
}

/** Sends more requests than a limit and a pool allow, all at once, to all data planes of a fleet. */
async function checkExactness(bench: Bench, { services, target: { origin } }: Fleet): Promise<void> {
  const who = `${services.length} data planes`;
  const limited = await bench.gateway.addKey({
    email: 'fleet-limited@example.com',
    poolUsd: '1000',
    perMinute: PER_MINUTE,
  });
  const byLimit = await statusesOf(bench, origin, limited, PER_MINUTE * TOO_MANY);
  bench.assert(
    `${who}: a key gets exactly its requests per minute`,
    byLimit.get(200) === PER_MINUTE && byLimit.get(429) === PER_MINUTE * (TOO_MANY - 1),
    statusText(byLimit),
  );
  const funded = await bench.gateway.addKey({
    email: 'fleet-funded@example.com',
    poolUsd: (POOL_NANO_USD / 1e9).toFixed(9),
    perMinute: RAISED_LIMIT,
  });
  const { prompt_tokens, completion_tokens } = CHAT_USAGE;
  const costNanoUsd = (prompt_tokens * PRICE_USD.input + completion_tokens * PRICE_USD.output) * 1_000;
  const affordable = Math.floor(POOL_NANO_USD / costNanoUsd);
  const byMoney = await statusesOf(bench, origin, funded, affordable * TOO_MANY);
  const paid = byMoney.get(200) ?? 0;
  bench.assert(
    `${who}: a pool pays for no more than it has`,
    paid > 0 && paid <= affordable && paid + (byMoney.get(402) ?? 0) === affordable * TOO_MANY,
    `${statusText(byMoney)}; the pool pays for ${affordable}`,
  );
  await bench.gateway.settled();
  const { disagreements } = await bench.gateway.verifyLedger();
  bench.assert(
    `${who}: the ledger agrees with every record`,
    disagreements.length === 0,
    disagreements[0] ?? 'no disagreement',
  );
}

async function statusesOf(
  bench: Bench,
  origin: string,
  rawKey: string,
  requests: number,
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let left = requests;
  const send = async () => {
    while (left-- > 0) {
      const { status } = await sendOne(origin, rawKey);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: bench.plan.connections }, send));
  bench.gatewayAnswers += statuses.get(200) ?? 0;
  return statuses;
}

async function sendOne(origin: string, rawKey: string): Promise<Response> {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    body: requestBody(SMALL),
  });
  await response.arrayBuffer();
  return response;
}

function statusText(statuses: ReadonlyMap<number, number>): string {
  return [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
}

function unreachable(): never {
  throw new Error('a plan has fleets');
}

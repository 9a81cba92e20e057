import { inBackground } from '@model-gateway/service-kit';
import { postChat } from './http-client.ts';
import { findProblems } from './invariants.ts';
import type { Observed } from './observed.ts';
import { BUSY_MS, type Fault, type PlannedRequest, planOf } from './plan.ts';
import { advance, monotonicMs, schedule } from './virtual-time.ts';
import { account, CALL_MS, DATA_PLANES, keys, PORT, World } from './world.ts';

export interface Run {
  trace: string[];
  problems: string[];
}

/** @returns the status of the response */
type SendRequest = (request: PlannedRequest) => Promise<number>;

/** Within this time all requests end and no money is held any more. */
const SETTLE_MS = 60_000;
/** After the last fault, every part must work again within this time. */
const RECOVERY_MS = 6_000;

/** Runs a seed. Its trace is always the same. */
export async function runSeed(seed: number): Promise<Run> {
  const plan = planOf(seed);
  const world = await World.create(plan);
  const trace: string[] = [];
  const note = (what: string) => void trace.push(`${monotonicMs().toFixed(3)} ${what}`);
  note(
    `seed ${seed}: ${plan.settlement}, a pool of $${plan.poolUsd}, ${plan.limit} requests per minute${plan.hasRedis ? ', Redis' : ''}`,
  );
  await world.call(() =>
    world.admin.call(CALL_MS, 'pools', 'addPool', {
      owner: { kind: 'account', id: account },
      includedUsd: plan.poolUsd,
      resets: 'never',
      name: 'Pool',
    }),
  );
  const observed: Observed = { plan, exchanges: [], revocations: [], faults: [] };
  const startMs = monotonicMs();
  const send: SendRequest = async (request) => {
    const { number, dataPlane, tokens, tookMs, ends, isStreamed } = request;
    const sentAtMs = monotonicMs();
    const instanceId = world.instanceId(dataPlane);
    note(`request ${number} to ${dataPlane} with key ${request.key}`);
    const text = `request ${number}, ${tokens} tokens, ${tookMs} ms, ${ends}`;
    const body = { model: 'sim/chat-pro', messages: [{ role: 'user', content: text }], max_tokens: 1_000 };
    const sentBody = isStreamed ? { ...body, stream: true } : body;
    const response = await postChat(dataPlane, PORT, keys[request.key]?.rawKey ?? '', sentBody);
    const code = /"code":"(\w+)"/.exec(response.body)?.[1] ?? '';
    const whole = response.isWhole ? 'whole' : 'broken';
    note(`request ${number} ended: ${response.status} ${code} ${whole} ${response.requestId}`);
    observed.exchanges.push({ request, sentAtMs, endedAtMs: monotonicMs(), response, instanceId });
    return response.status;
  };
  const revoke = (key: number) => {
    note(`revoke key ${key}`);
    world.admin.call(CALL_MS, 'accounts', 'revokeKey', { keyId: keys[key]?.id ?? '' }).then(
      ({ unconfirmedInstances }) => {
        note(`key ${key} is revoked, unconfirmed: ${unconfirmedInstances.join(' ')}`);
        observed.revocations.push({ key, atMs: monotonicMs(), unconfirmed: unconfirmedInstances });
      },
      (error: unknown) => note(`revocation of key ${key} failed: ${error}`),
    );
  };
  for (const event of plan.events) {
    schedule(world.operator, startMs + event.atMs - monotonicMs(), () => {
      if (event.request !== undefined) inBackground(send(event.request));
      if (event.revoke !== undefined) revoke(event.revoke);
      if (event.fault !== undefined) inject(world, observed, event.fault, note);
    });
  }
  await advance(startMs + BUSY_MS);
  await advance(Math.max(...observed.faults.map(({ untilMs }) => untilMs)) + RECOVERY_MS);
  const problems = await inspect(world, observed, send).catch((error: unknown) => [
    `the run cannot be inspected: ${error}`,
  ]);
  // Each message draws its delay, so equal times in two traces mean the same messages in the same order.
  note(`end of seed ${seed}`);
  for (const problem of problems) note(`PROBLEM: ${problem}`);
  return { trace, problems };
}

function inject(world: World, observed: Observed, fault: Fault, note: (what: string) => void): void {
  const fromMs = monotonicMs();
  if (fault.kind === 'clock') {
    note(`clock of ${fault.name}: ${fault.stepMs} ms`);
    const host = world.network.host(fault.name);
    if (host !== undefined) host.clockOffsetMs += fault.stepMs;
    observed.faults.push({ fault, fromMs, untilMs: fromMs });
    return;
  }
  observed.faults.push({ fault, fromMs, untilMs: fromMs + fault.forMs });
  if (fault.kind === 'crash') {
    note(`crash of ${fault.name} for ${fault.forMs} ms`);
    world.crash(fault.name);
    schedule(world.operator, fault.forMs, () => {
      note(`restart of ${fault.name}`);
      world.restart(fault.name);
    });
    return;
  }
  const { kind, from, to, isBothWays, forMs } = fault;
  note(`${kind} from ${from} to ${to}${isBothWays ? ' and back' : ''} for ${forMs} ms`);
  const { network } = world;
  const begin = (one: string, other: string) =>
    kind === 'cut' ? network.cut(one, other) : network.breakConnections(one, other);
  const ends = [begin(from, to), ...(isBothWays ? [begin(to, from)] : [])];
  schedule(world.operator, forMs, () => {
    note(`end of ${kind} from ${from} to ${to}`);
    for (const end of ends) end();
  });
}

async function inspect(world: World, observed: Observed, send: SendRequest): Promise<string[]> {
  await untilQuiet(world, observed);
  const problems = await findProblems(world, observed);
  return [...problems, ...(await probe(world, send))];
}

/** Checks that every data plane serves again, and refuses every revoked key. */
async function probe(world: World, send: SendRequest): Promise<string[]> {
  const rows = await world.rows('SELECT id FROM api_keys WHERE revoked_at IS NOT NULL');
  const revoked = new Set(rows.map(({ id }) => id));
  const problems: string[] = [];
  let number = 1_000;
  for (const dataPlane of DATA_PLANES) {
    for (const [key, { id }] of keys.entries()) {
      const common = { tokens: 1, tookMs: 5, ends: 'complete', isStreamed: false } as const;
      const status = await world.call(() => send({ number: number++, dataPlane, key, ...common }));
      const expected = revoked.has(id) ? [401] : [200, 402, 429];
      if (!expected.includes(status))
        problems.push(`at the end, ${dataPlane} answers key ${key} with ${status}`);
    }
  }
  return problems;
}

/** Waits until all requests have ended and no money is held. */
async function untilQuiet(world: World, observed: Observed): Promise<void> {
  const requests = observed.plan.events.filter(({ request }) => request !== undefined).length;
  for (const deadlineMs = monotonicMs() + SETTLE_MS; monotonicMs() < deadlineMs; ) {
    const [{ open } = {}] = await world.rows(
      'SELECT count(*)::int AS open FROM allowances WHERE closed_at IS NULL',
    );
    if (open === 0 && observed.exchanges.length === requests) return;
    await advance(monotonicMs() + 1_000);
  }
}

import { generateApiKey } from '@model-gateway/shared';
import { type Bench, countText } from '../bench.ts';
import { LIMIT_OF_LIMITED_KEY } from '../gateway/seed-gateway.ts';
import { trafficTo } from '../targets/target.ts';
import { requestBody, SMALL } from '../wire/request-body.ts';

const MAX_CALLS_PER_REQUEST = 0.1;
/** A Redis command without a reply in time is sent again: a few per thousand on a busy machine. */
const maxCommands = (requests: number) => 1 + requests * 1.005;

/** Checks that the whole gateway was measured, with all features. */
export async function checkCorrectness(bench: Bench): Promise<void> {
  bench.say('checks ...');
  await checkKeys(bench);
  await checkCommands(bench);
  checkStreams(bench);
  await checkRecords(bench);
}

async function checkKeys(bench: Bench): Promise<void> {
  const wrong = await send(bench, generateApiKey());
  bench.assert('a wrong key is refused', wrong.status === 401, `status ${wrong.status}`);
  const statuses: number[] = [];
  for (let request = 0; request <= LIMIT_OF_LIMITED_KEY; request++) {
    const { status } = await send(bench, bench.gateway.limitedKey);
    statuses.push(status);
    if (status === 200) bench.gatewayAnswers += 1;
  }
  const allowed = statuses.filter((status) => status === 200).length;
  bench.assert(
    'a key at its limit is refused',
    allowed === LIMIT_OF_LIMITED_KEY && statuses.at(-1) === 429,
    statuses.join(', '),
  );
  const unlimited = bench.assertions.some(({ found, isTrue }) => !isTrue && found.includes('no x-ratelimit'));
  bench.assert('every answer has its limit', !unlimited, unlimited ? 'some do not' : 'all do');
}

async function checkCommands(bench: Bench): Promise<void> {
  const { gateway, gatewayTarget } = bench;
  const traffic = trafficTo(gatewayTarget, SMALL);
  const few = { connections: 8, warmUpMs: 0, measureMs: 30_000, requests: bench.plan.counted };
  // Fills the cache of keys again, in case the data plane has lost its key watch and emptied the cache.
  await bench.closedLoop(gatewayTarget, traffic, few);
  const callsBefore = await gateway.controlPlaneCalls();
  const commandsBefore = await gateway.redis?.scriptCalls();
  const { answers } = await bench.closedLoop(gatewayTarget, traffic, few);
  const calls = ((await gateway.controlPlaneCalls()) - callsBefore) / answers;
  const lookups = await gateway.dataPlaneMetric('gateway_key_lookups_total', 'result="miss"');
  bench.assert(
    `at most ${MAX_CALLS_PER_REQUEST} gRPC calls per request`,
    calls <= MAX_CALLS_PER_REQUEST,
    `${calls.toFixed(4)} over ${answers} requests; in the whole run ${lookups} look-ups for ` +
      `${bench.plan.keys} keys`,
  );
  if (gateway.redis === undefined || commandsBefore === undefined) {
    bench.say('no redis-server: limits are counted in memory, and no Redis commands are');
    return;
  }
  const commands = (await gateway.redis.scriptCalls()) - commandsBefore;
  bench.assert(
    'one Redis script call per request',
    commands >= answers && commands <= maxCommands(answers),
    `${commands} for ${answers} requests`,
  );
  const requests = Math.min(200, bench.plan.counted);
  const seen = await gateway.redis.commandsDuring(async () => {
    await bench.closedLoop(gatewayTarget, traffic, { ...few, connections: 1, requests });
  }, gateway.redisClientsOfControlPlane);
  const others = Object.keys(seen).filter((name) => name !== 'EVALSHA');
  bench.assert(
    'the data plane sends no other Redis command',
    others.length === 0,
    `${countText(seen)} for ${requests} requests`,
  );
}

function checkStreams(bench: Bench): void {
  for (const [name, { equal, different, brokenOff }] of bench.streamCounts) {
    bench.assert(
      `${name}: the bytes of every stream are the provider's`,
      different === 0 && brokenOff === 0,
      `${equal} equal, ${different} different, ${brokenOff} broken off`,
    );
  }
}

async function checkRecords(bench: Bench): Promise<void> {
  await bench.gateway.settled();
  const records = await bench.gateway.database.usageRecords();
  bench.assert(
    'every answer is recorded, once',
    records === bench.gatewayAnswers,
    `${records} records, ${bench.gatewayAnswers} answers`,
  );
  const lost = await bench.gateway.dataPlaneMetric('gateway_settlement_records_lost_total');
  bench.assert('no record is lost', lost === 0, `${lost} lost`);
}

async function send(bench: Bench, rawKey: string): Promise<Response> {
  const response = await fetch(`${bench.gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    body: requestBody(SMALL),
  });
  await response.arrayBuffer();
  return response;
}

import type { Bench } from '../bench.ts';
import { cpuMsOf, familyOf } from '../processes/process-usage.ts';
import type { PartResult } from '../results/part-result.ts';
import { spreadText } from '../results/statistics.ts';
import { trafficTo } from '../targets/target.ts';
import { SMALL } from '../wire/request-body.ts';

/** Measures the cost of a paid request in every process until it is settled, from which fleets are sized. */
export async function measureWholeGateway(bench: Bench): Promise<PartResult> {
  const { rounds, requests, atMostMs } = bench.plan.wholeGateway;
  const { gateway, gatewayTarget } = bench;
  const perRequest = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    bench.say(`whole gateway, round ${round + 1}`);
    const families = [...gateway.processes()].map(([name, pid]) => {
      return { name, pids: familyOf(pid), before: 0 };
    });
    for (const family of families) family.before = cpuMsOf(family.pids);
    const { answers } = await bench.closedLoop(gatewayTarget, trafficTo(gatewayTarget, SMALL), {
      connections: bench.plan.connections,
      warmUpMs: 0,
      measureMs: atMostMs,
      requests,
    });
    await gateway.settled();
    for (const { name, pids, before } of families) {
      const us = ((cpuMsOf(pids) - before) * 1_000) / Math.max(1, answers);
      perRequest.set(name, [...(perRequest.get(name) ?? []), us]);
    }
  }
  return {
    name: 'whole-gateway',
    title: 'The whole gateway',
    note:
      `CPU µs per request of each process, user and system, until the last of ${requests} requests of ` +
      'the closed loop is settled.',
    columns: ['Process', 'CPU µs per request'],
    rows: [...perRequest].map(([name, all]) => [name, spreadText(all, 0)]),
    rounds: Object.fromEntries(perRequest),
  };
}

import type { Bench } from '../bench.ts';
import { type Target, trafficTo } from '../targets/target.ts';
import { SMALL } from '../wire/request-body.ts';

/** Sends requests until V8 has compiled the code of the targets. */
export async function compile(bench: Bench, targets: readonly Target[]): Promise<void> {
  const { passes, requests, atMostMs: measureMs } = bench.plan.closedLoop.compile;
  const { connections } = bench.plan;
  for (let pass = 0; pass < passes; pass++) {
    for (const target of targets) {
      const traffic = trafficTo(target, SMALL);
      await bench.closedLoop(target, traffic, { connections, warmUpMs: 0, measureMs, requests });
    }
  }
}

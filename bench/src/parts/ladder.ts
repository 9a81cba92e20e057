import { type Bench, failureText } from '../bench.ts';
import type { PartResult } from '../results/part-result.ts';
import { spreadText } from '../results/statistics.ts';
import { startNginx } from '../targets/nginx.ts';
import type { PeerOptions } from '../targets/peer.ts';
import { startSketch } from '../targets/sketch.ts';
import { startPeers } from '../targets/start-peers.ts';
import { type Target, trafficTo } from '../targets/target.ts';
import { SMALL } from '../wire/request-body.ts';
import { SKETCH_STAGES } from '../wire/sketch-stages.ts';
import { compile } from './compile.ts';
import { interleave, roundsJson } from './rounds.ts';

/** Measures the sketch of a gateway stage by stage, between the bare proxy and the gateway. */
export async function measureLadder(bench: Bench, options: PeerOptions): Promise<PartResult> {
  const { rounds, ...times } = bench.plan.ladder;
  const { bare, gatewayTarget } = bench;
  await using stack = new AsyncDisposableStack();
  const nginx = await startPeers([['nginx', startNginx]], options, stack, bench.say);
  const stages = await startPeers(
    SKETCH_STAGES.map((_, stage) => [`sketch ${stage}`, (each) => startSketch(each, stage)] as const),
    options,
    stack,
    bench.say,
  );
  const targets = [...nginx.targets, bare, ...stages.targets, gatewayTarget];
  await compile(bench, targets);
  const results = await interleave(targets, rounds, async (target, round) => {
    bench.say(`ladder, round ${round + 1}: ${target.name}`);
    const { connections } = bench.plan;
    const result = await bench.closedLoop(target, trafficTo(target, SMALL), { connections, ...times });
    return { ...result, cpuUs: ((result.cpuMs ?? Number.NaN) * 1_000) / Math.max(1, result.measured) };
  });
  const cpuOf = (target: Target | undefined) =>
    target === undefined ? [] : (results.get(target) ?? []).map(({ cpuUs }) => cpuUs);
  const compared = (target: Target, other: Target | undefined, how: (one: number, two: number) => number) =>
    cpuOf(target).map((value, round) => how(value, cpuOf(other)[round] ?? Number.NaN));
  const rows = targets.map((target, index) => {
    const before = target === bare ? undefined : targets[index - 1];
    return [
      target.name,
      spreadText(cpuOf(target), 0),
      spreadText(
        compared(target, before, (one, two) => one - two),
        0,
      ),
      spreadText(
        compared(target, bare, (one, two) => one / two),
        2,
      ),
      target.says,
      failureText(results.get(target) ?? []),
    ];
  });
  return {
    name: 'ladder',
    title: 'The ladder',
    note:
      'Closed loop, 1 kB in each direction, all targets in turn. Each stage of the sketch includes those before ' +
      'it. Added: the difference to the line before, in the same round. ' +
      [...nginx.missing, ...stages.missing].join('; '),
    columns: ['Target', 'CPU µs per request', 'Added', '× bare proxy', 'What it does', 'Failures'],
    rows,
    rounds: roundsJson(results),
  };
}

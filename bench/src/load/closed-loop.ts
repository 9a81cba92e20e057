import type { z } from 'zod';
import { cpuMsOf, familyOf } from '../processes/process-usage.ts';
import { sharedClockUs } from '../wire/answer-plan.ts';
import type { ClosedLoopResult, closedLoopJob } from './job.ts';
import { Lane, Tally } from './lane.ts';
import { LatencyRecorder } from './latency-recorder.ts';
import { RequestSource } from './request-source.ts';

/** Pauses after a failure, so that a failing target does not get thousands of requests a second. */
const AFTER_FAILURE_MS = 20;

/** Sends on each connection the next request as soon as the previous one is answered. */
export async function runClosedLoop(job: z.output<typeof closedLoopJob>): Promise<ClosedLoopResult> {
  const { traffic, connections, warmUpMs, measureMs, requests = Number.POSITIVE_INFINITY } = job;
  const source = new RequestSource(traffic);
  const tally = new Tally();
  const recorder = new LatencyRecorder();
  const family = job.pid === undefined ? [] : familyOf(job.pid);
  let phase: 'warm-up' | 'measured' | 'over' = 'warm-up';
  let started = 0;
  let measured = 0;

  const lanes = Array.from({ length: connections }, () => new Lane(traffic));
  const running = lanes.map(
    (lane) =>
      new Promise<void>((resolve) => {
        const next = () => {
          if (phase === 'over' || started >= requests) return resolve();
          started += 1;
          const sentUs = sharedClockUs();
          lane.send(source.next(), (ending) => {
            const isRight = tally.count(ending);
            if (isRight && phase === 'measured') {
              measured += 1;
              recorder.recordUs(sharedClockUs() - sentUs);
            }
            if (isRight) next();
            else setTimeout(next, AFTER_FAILURE_MS);
          });
        };
        next();
      }),
  );

  const all = Promise.all(running);
  await orAllDone(warmUpMs, all);
  phase = 'measured';
  const fromUs = sharedClockUs();
  const cpuBefore = cpuMsOf(family);
  await orAllDone(measureMs, all);
  const cpuMs = cpuMsOf(family) - cpuBefore;
  const seconds = (sharedClockUs() - fromUs) / 1e6;
  phase = 'over';
  await all;
  await Promise.all(lanes.map((lane) => lane.close()));
  return {
    answers: tally.answers,
    failures: tally.failures,
    measured,
    seconds,
    bytes: tally.bytes,
    latency: recorder.summary(),
    ...(job.pid === undefined ? {} : { cpuMs }),
  };
}

/** Waits for this time, or until all requests are done. */
async function orAllDone(ms: number, all: Promise<unknown>): Promise<void> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([over, all]);
  clearTimeout(timer);
}

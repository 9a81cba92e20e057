import type { z } from 'zod';
import { sharedClockUs } from '../wire/answer-plan.ts';
import { REQUEST_HEADER } from '../wire/stamps.ts';
import type { OpenLoopResult, openLoopJob } from './job.ts';
import { Lane, Tally } from './lane.ts';
import { LatencyRecorder } from './latency-recorder.ts';
import { pace } from './pacer.ts';
import { RequestSource } from './request-source.ts';
import { requestsIn } from './schedule.ts';

/** The time from now to the first request, in which the pacer's thread starts. */
const LEAD_US = 50_000;

/**
 * Sends requests at a fixed rate, regardless of earlier ones. Latency counts from the intended time, so that
 * a stalled target cannot hide its stall by making the generator wait.
 */
export async function runOpenLoop(job: z.output<typeof openLoopJob>): Promise<OpenLoopResult> {
  const { traffic, connections, perSecond, warmUpMs, measureMs, stamped } = job;
  const source = new RequestSource(traffic);
  const tally = new Tally();
  const latency = new LatencyRecorder();
  const sendDelay = new LatencyRecorder();
  const lanes = Array.from({ length: connections }, () => new Lane(traffic));
  const idle = [...lanes];
  /** Requests that are due while no connection is free. */
  const due: { index: number; intendedUs: number }[] = [];
  const warmUps = requestsIn(warmUpMs, perSecond);
  const count = warmUps + requestsIn(measureMs, perSecond);
  const times: OpenLoopResult['times'] = [];
  let ended = 0;
  let measured = 0;
  const all = Promise.withResolvers<void>();

  const send = (lane: Lane, index: number, intendedUs: number) => {
    const next = source.next();
    const sentUs = sharedClockUs();
    if (stamped) next.headers = { ...next.headers, [REQUEST_HEADER]: `${index}` };
    lane.send(next, (ending) => {
      if (tally.count(ending) && index >= warmUps) {
        measured += 1;
        const endedUs = sharedClockUs();
        latency.recordUs(endedUs - intendedUs);
        if (stamped) times.push([index, intendedUs, sentUs, endedUs]);
      }
      ended += 1;
      if (ended === count) all.resolve();
      const waiting = due.shift();
      if (waiting === undefined) idle.push(lane);
      else send(lane, waiting.index, waiting.intendedUs);
    });
  };
  await pace({ startUs: sharedClockUs() + LEAD_US, count, perSecond }, (index, intendedUs) => {
    if (index >= warmUps) sendDelay.recordUs(sharedClockUs() - intendedUs);
    const lane = idle.shift();
    if (lane === undefined) due.push({ index, intendedUs });
    else send(lane, index, intendedUs);
  });
  await all.promise;
  await Promise.all(lanes.map((lane) => lane.close()));
  return {
    answers: tally.answers,
    failures: tally.failures,
    measured,
    seconds: measureMs / 1_000,
    bytes: tally.bytes,
    latency: latency.summary(),
    sendDelay: sendDelay.summary(),
    times,
  };
}

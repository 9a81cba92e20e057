import { setTimeout as wait } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { z } from 'zod';
import { cpuMsOf, familyOf } from '../processes/process-usage.ts';
import { findPlan, planText, sharedClockUs } from '../wire/answer-plan.ts';
import { timesIn } from '../wire/fixed-answer.ts';
import type { StreamsResult, streamsJob } from './job.ts';
import { Lane, Tally } from './lane.ts';
import { LatencyRecorder } from './latency-recorder.ts';
import { RequestSource } from './request-source.ts';
import { rampStartMs } from './schedule.ts';

/** Runs many streams at once, and measures each chunk. */
export async function runStreams(job: z.output<typeof streamsJob>): Promise<StreamsResult> {
  const { traffic, streams, rampMs, prefix, measureFromMs, measureToMs, chunks: chunksOfStream } = job;
  const source = new RequestSource(traffic);
  const tally = new Tally();
  const [total, firstChunk, gap, transit] = Array.from({ length: 4 }, () => new LatencyRecorder());
  if (!total || !firstChunk || !gap || !transit) throw new Error('unreachable');
  const received: Record<string, [bytes: number, crc: number]> = {};
  const family = job.pid === undefined ? [] : familyOf(job.pid);
  let cpuBefore = 0;
  let cpuAfter: number | undefined;
  let isMeasured = false;
  const measuring = async () => {
    if (measureFromMs > 0) await wait(measureFromMs);
    isMeasured = true;
    cpuBefore = cpuMsOf(family);
    if (measureToMs === undefined) return;
    await wait(measureToMs - measureFromMs);
    isMeasured = false;
    cpuAfter = cpuMsOf(family);
  };
  const startUs = sharedClockUs();
  const measured = measuring();
  let chunks = 0;
  let measuredChunks = 0;
  let open = 0;
  let mostOpen = 0;

  const readStream = (lane: Lane, name: string) =>
    new Promise<void>((resolve) => {
      const { headers, body } = source.next();
      const sentUs = sharedClockUs();
      let lastUs = 0;
      let arrived = 0;
      let bytes = 0;
      let crc = 0;
      const onBody = (part: Buffer) => {
        const nowUs = sharedClockUs();
        bytes += part.length;
        crc = crc32(part, crc);
        // Responses repeats its whole text at the end.
        for (const providerUs of timesIn(part).slice(0, chunksOfStream - arrived)) {
          chunks += 1;
          arrived += 1;
          if (isMeasured) measuredChunks += 1;
          if (lastUs === 0) {
            open += 1;
            mostOpen = Math.max(mostOpen, open);
            firstChunk.recordUs(nowUs - sentUs);
          } else if (isMeasured) gap.recordUs(nowUs - lastUs);
          if (isMeasured) transit.recordUs(nowUs - providerUs);
          lastUs = nowUs;
        }
      };
      const onEnd = (ending: Parameters<Tally['count']>[0]) => {
        if (lastUs !== 0) open -= 1;
        if (tally.count(ending)) {
          total.recordUs(sharedClockUs() - sentUs);
          received[name] = [bytes, crc];
        }
        resolve();
      };
      lane.send({ headers, body: named(body, name) }, onEnd, onBody);
    });

  await Promise.all(
    Array.from({ length: streams }, async (_, index) => {
      await wait(rampStartMs(index, streams, rampMs));
      const lane = new Lane(traffic);
      await readStream(lane, `${prefix}-${index}`);
      await lane.close();
    }),
  );
  const seconds = (sharedClockUs() - startUs) / 1e6;
  await measured;
  return {
    answers: tally.answers,
    failures: tally.failures,
    measured: tally.answers,
    seconds,
    bytes: tally.bytes,
    latency: total.summary(),
    firstChunk: firstChunk.summary(),
    gap: gap.summary(),
    transit: transit.summary(),
    chunks,
    measuredChunks,
    mostOpen,
    received,
    ...(job.pid === undefined ? {} : { cpuMs: (cpuAfter ?? cpuMsOf(family)) - cpuBefore }),
  };
}

/** Adds the name of a stream to the plan of a request. */
function named(body: Buffer, stream: string): Buffer {
  const plan = findPlan(body);
  if (plan === undefined) throw new Error('a request for a stream has a plan');
  return Buffer.from(body.toString().replace(planText(plan), planText({ ...plan, stream })));
}

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '@model-gateway/test-kit';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { HONEST } from '../../../tests/endpoints/audio-files.ts';
import { DISGUISED } from '../../../tests/endpoints/disguised-audio.ts';
import { endlessMp4, trackWithoutNumber } from '../../../tests/endpoints/hostile-audio.ts';
import { wavOf } from '../../../tests/endpoints/wav.ts';
import { maxUnitsOfTranscription } from '../../billing/max-units.ts';
import { usageOfRecording } from './recording.ts';
import { RecordingQueue } from './recording-queue.ts';

const owner = (accountId: string) => ({ accountId, keyId: `${accountId}-key` });

/** Frames of AAC without content: they take 30 s to measure, and little memory. */
const SLOW = Buffer.alloc(24 * 1024 * 1024, Buffer.from('fff15c8000ffc0', 'hex'));

const recordings = new RecordingQueue();
afterAll(() => recordings.close());

const measure = (file: Buffer, queue = recordings) => queue.measure(owner('one'), [file]);

describe('a recording in the worker process', () => {
  it('is measured, in whatever chunks it arrived', async () => {
    const file = wavOf(20);
    for (const bytes of [1_000, 64_000, file.length]) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < file.length; at += bytes) chunks.push(file.subarray(at, at + bytes));
      const measured = await recordings.measure(owner('one'), chunks);
      expect(usageOfRecording(file.length, measured).audioMs).toBe(20_000);
    }
  });

  it('is not measured if the library fails on it, and the next one is', async () => {
    expect(await measure(trackWithoutNumber())).toBeUndefined();
    expect(await measure(Buffer.from('RIFF\0\0\0\0WAVEfmt '))).toBeUndefined();
    expect(await measure(wavOf(1))).toMatchObject({ seconds: 1 });
  });

  it('ends its process if it needs more memory than that may have, and the next one is measured', async () => {
    const small = new RecordingQueue({ heapMb: 48 });
    try {
      expect(await measure(wavOf(1), small)).toMatchObject({ seconds: 1 });
      // 2 million blocks in one cluster.
      expect(await measure(HONEST.webm?.(40_000) ?? Buffer.alloc(0), small)).toBeUndefined();
      expect(await measure(wavOf(1), small)).toMatchObject({ seconds: 1 });
    } finally {
      await small.close();
    }
  });

  it('is not measured if it counts more samples than it has bytes', async () => {
    const startedMs = performance.now();
    expect(await measure(endlessMp4())).toBeUndefined();
    // Otherwise it would be given up after 10 s.
    expect(performance.now() - startedMs).toBeLessThan(8_000);
  });

  it('is given up if it takes too long, and does not keep the next one waiting', async () => {
    // With so much memory, only the time ends the job.
    const hurried = new RecordingQueue({ maxMs: 6_000, heapMb: 4_096 });
    try {
      // Starts the process.
      expect(await measure(wavOf(1), hurried)).toMatchObject({ seconds: 1 });
      const startedMs = performance.now();
      const slow = hurried.measure(owner('slow'), [SLOW]);
      const next = hurried.measure(owner('next'), [wavOf(1)]);
      expect(await slow).toBeUndefined();
      expect(performance.now() - startedMs).toBeGreaterThanOrEqual(5_900);
      expect(await next).toMatchObject({ seconds: 1 });
    } finally {
      await hurried.close();
    }
  });

  it('leaves no process behind once the queue was idle', async () => {
    const idle = new RecordingQueue({ idleMs: 1 });
    expect(await measure(wavOf(1), idle)).toMatchObject({ seconds: 1 });
    await until(() => !idle.hasProcess);
    expect(await measure(wavOf(1), idle)).toMatchObject({ seconds: 1 });
    await idle.close();
  });

  it('is given up when the data plane is gone', async () => {
    const child = fork(new URL('../../workers/recording-worker.ts', import.meta.url), {
      serialization: 'advanced',
    });
    const exited = once(child, 'exit');
    for (const message of [SLOW, 'end']) {
      await new Promise<void>((resolve) => {
        child.send(message, () => resolve());
      });
    }
    await wait(1_000);
    child.disconnect();
    expect(await Promise.race([exited, wait(15_000, 'still there')])).toEqual([0, null]);
  });

  it('changed at random is charged no more than was reserved, and never a number that cannot be stored', async () => {
    const seeds = [
      ...Object.values(HONEST).map((write) => write(3)),
      ...Object.values(DISGUISED).map((write) => write(20).subarray(0, 30_000)),
      trackWithoutNumber(),
    ];
    const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...seeds), changes, fc.boolean(), async (seed, places, nearStart) => {
        const file = Buffer.from(seed);
        for (const [place, byte] of places) {
          file[Math.floor(place * Math.min(file.length - 1, nearStart ? 300 : file.length))] = byte;
        }
        const { audioMs } = usageOfRecording(file.length, await measure(file));
        expect(Number.isSafeInteger(audioMs)).toBe(true);
        expect(audioMs).toBeGreaterThan(0);
        expect(audioMs).toBeLessThanOrEqual(maxUnitsOfTranscription(file.length).audioMs);
      }),
      { numRuns: 400 },
    );
  });
});

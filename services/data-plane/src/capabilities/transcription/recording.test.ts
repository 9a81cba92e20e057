import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StopSignal } from '@model-gateway/service-kit';
import { describe, expect, it } from 'vitest';
import { FORGED, HONEST } from '../../../tests/endpoints/audio-files.ts';
import { DISGUISED } from '../../../tests/endpoints/disguised-audio.ts';
import { wavOf } from '../../../tests/endpoints/wav.ts';
import { maxUnitsOfTranscription } from '../../billing/max-units.ts';
import type { AuthenticatedExchange } from '../../http/exchange.ts';
import { bodyBudgetBounds, createBodyBudget } from '../../memory/body-budget.ts';
import { JobQueue } from '../../threads/job-queue.ts';
import { measureRecording } from './measure/measure-recording.ts';
import { Recording, type RecordingContext, usageOfRecording, wholeMs } from './recording.ts';

async function usageOf(file: Buffer) {
  const { audioMs, source } = usageOfRecording(
    file.length,
    await measureRecording(file).catch(() => undefined),
  );
  return { ms: audioMs, source };
}

const heldMs = (file: Buffer) => maxUnitsOfTranscription(file.length).audioMs;

it('a duration is rounded up to whole milliseconds, ignoring floating-point noise', () => {
  expect([16.1, 16.1001, 0.0001, 585.29].map(wholeMs)).toEqual([16_100, 16_101, 1, 585_290]);
});

describe('an honest recording', () => {
  it.each(Object.entries(HONEST))('%s is measured at its playing time', async (_name, write) => {
    const measured = await measureRecording(write(20));
    expect(measured?.unplayedBytes).toBe(0);
    expect(Math.abs((measured?.seconds ?? 0) - 20)).toBeLessThan(0.3);
  });

  it.each([
    [0.001, 16_000],
    [2.345, 16_000],
    [61.5, 44_100],
  ])('PCM of %s s at %s Hz is charged to the millisecond', async (seconds, hertz) => {
    expect(await usageOf(wavOf(seconds, hertz))).toEqual({ ms: wholeMs(seconds), source: 'gateway' });
  });

  it('a picture in a tag does not count as audio', async () => {
    const image = Buffer.alloc(300_000, 0xff);
    const content = Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), image]);
    const frame = Buffer.concat([Buffer.from('APIC\0\0\0\0\0\0', 'latin1'), content]);
    frame.writeUInt32BE(content.length, 4);
    const tag = Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\0\0', 'latin1'), frame]);
    for (let at = 6; at < 10; at++) tag[at] = (frame.length >> (7 * (9 - at))) & 0x7f;
    const { ms } = await usageOf(Buffer.concat([tag, HONEST.mp3?.(20) ?? tag]));
    expect(Math.abs(ms - 20_000)).toBeLessThan(300);
  });
});

describe('hiding audio is never cheaper than showing it', () => {
  it.each(Object.entries(FORGED))('%s that claims 2 s costs its playing time', async (_name, write) => {
    const [forged, honest] = [write(120, 2), write(120, 120)];
    expect((await usageOf(forged)).ms).toBeGreaterThanOrEqual((await usageOf(honest)).ms - 100);
  });

  it.each(Object.entries(DISGUISED))('%s', async (_name, write) => {
    const file = write(400);
    const { ms } = await usageOf(file);
    expect(ms).toBeGreaterThanOrEqual(Math.min(400_000 - 300, heldMs(file)));
    expect(ms).toBeLessThanOrEqual(heldMs(file));
  });

  it.each([0.1, 0.5, 0.9])('a file whose last %s is foreign bytes costs at least as much', async (part) => {
    const honest = HONEST.mp3?.(120) ?? Buffer.alloc(0);
    const hidden = Buffer.from(honest);
    hidden.fill('noise, ', Math.round(honest.length * (1 - part)));
    expect((await usageOf(hidden)).ms).toBeGreaterThanOrEqual((await usageOf(honest)).ms);
  });

  it.each(['noise, ', '\0', '\xff'])(
    'bytes %j that nothing can measure cost what was reserved',
    async (bytes) => {
      const file = Buffer.alloc(160_000, bytes, 'latin1');
      expect(await usageOf(file)).toEqual({ ms: heldMs(file), source: 'estimated' });
    },
  );
});

it('a recording never costs more than was reserved, whatever it claims', async () => {
  for (const write of [...Object.values(FORGED), ...Object.values(DISGUISED)]) {
    const file = write(30, 9e4);
    expect((await usageOf(file)).ms).toBeLessThanOrEqual(heldMs(file));
  }
});

/** Starts a recording whose file is the returned stream. */
async function arriving(recordings: RecordingContext['recordings'], isPaid = true) {
  const bodyBudget = createBodyBudget(bodyBudgetBounds(1024 ** 3, 1024 ** 2));
  const content = new PassThrough();
  const exchange = {
    req: { headers: { 'content-length': '7500' } },
    record: { key: { accountId: 'account', keyId: 'key' } },
    ends: [],
  } as unknown as AuthenticatedExchange;
  const file = { filename: 'a.wav', mimeType: 'audio/wav', content };
  const form = { fields: [], file, finished: Promise.resolve(), release: () => undefined };
  const recording = new Recording({ bodyBudget, recordings }, exchange, form);
  await recording.buffer(isPaid);
  return { bodyBudget, content, exchange, recording };
}

it('a recording whose provider responds before it has arrived costs its size, and nobody waits for it', async () => {
  const measure = async () => ({ seconds: 1, unplayedBytes: 0 });
  const { bodyBudget, content, recording } = await arriving({ isBusy: false, measure });
  content.write(Buffer.alloc(7_000));
  expect(await recording.usage()).toMatchObject({ audioMs: 10_000, source: 'estimated' });
  content.end();
  content.resume();
  await new Promise((resolve) => content.once('close', resolve));
  expect(await recording.usage()).toMatchObject({ audioMs: 1_000, source: 'gateway' });
  expect(bodyBudget.usedBytes).toBe(0);
});

it('a recording that waits to be measured is dropped when its exchange ends', async () => {
  const started: string[] = [];
  const queue = new JobQueue<string, null>(() => ({
    hasEnded: false,
    run: async (name) => {
      started.push(name);
      return name === 'endless' ? await new Promise(() => undefined) : null;
    },
    end: async () => undefined,
  }));
  const take = (name: string, signal?: StopSignal) =>
    queue.take({
      owner: { accountId: name, keyId: name },
      task: () => ({ task: name, moved: [] }),
      check: () => undefined,
      ...(signal === undefined ? {} : { signal }),
    });
  const endless = take('endless').catch(() => undefined);
  const measured = Promise.withResolvers<unknown>();
  const { bodyBudget, content, exchange } = await arriving({
    isBusy: true,
    measure: async (_owner, _chunks, unneeded) => {
      await take('waiting', unneeded).then(measured.resolve, measured.resolve);
      return undefined;
    },
  });
  content.end(Buffer.alloc(7_000));
  content.resume();
  await new Promise((resolve) => content.once('close', resolve));
  expect(bodyBudget.usedBytes).toBeGreaterThan(0);
  // The provider has reported the duration, so nobody asks for the usage.
  for (const end of exchange.ends) end();
  expect(bodyBudget.usedBytes).toBe(0);
  expect(await Promise.race([measured.promise, nextTurn('it waits')])).toEqual(
    new Error('the exchange has ended'),
  );
  await queue.close();
  await endless;
  expect(started).toEqual(['endless']);
});

it.each([
  [false, true, 10_000],
  [false, false, 1_000],
  [true, true, 1_000],
])(
  'of a recording (paid: %s) that arrives while others wait: %s, %s ms are counted',
  async (isPaid, isBusy, ms) => {
    const measure = async () => ({ seconds: 1, unplayedBytes: 0 });
    const { content, recording } = await arriving({ isBusy, measure }, isPaid);
    content.end(Buffer.alloc(7_500));
    content.resume();
    await new Promise((resolve) => content.once('close', resolve));
    expect(await recording.usage()).toMatchObject({ audioMs: ms });
  },
);

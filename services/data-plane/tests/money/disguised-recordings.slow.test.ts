import { withGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxUnitsOfTranscription } from '../../src/billing/max-units.ts';
import { HONEST } from '../endpoints/audio-files.ts';
import { DISGUISED } from '../endpoints/disguised-audio.ts';
import { endlessMp4, trackWithoutNumber } from '../endpoints/hostile-audio.ts';
import { transcriptionAsText } from '../endpoints/transcription-as-text.ts';
import { wavOf } from '../endpoints/wav.ts';
import { expectLedgerAgrees, payingKey } from './money-fixture.ts';

const SECONDS = 100;
const UNREADABLE = {
  'a file that the library fails on': trackWithoutNumber,
  'a file that counts 4 billion samples': endlessMp4,
};

const gateway = withGateway({ ownPools: true });
let rawKey: string;
beforeAll(async () => {
  ({ rawKey } = await payingKey(gateway, '1000'));
});
afterAll(async () => {
  await expectLedgerAgrees(gateway);
});

async function transcribe(file: Buffer, isForm: boolean) {
  const body = transcriptionAsText('sim/transcribe-pro', file, isForm);
  const response = await gateway.post('audio/transcriptions', body, { key: rawKey });
  expect(response.status).toBe(200);
  return await gateway.recordOf(response);
}

describe.each([true, false])(
  'a recording whose provider reports no duration; sent as a form: %s',
  (isForm) => {
    it('that is honest costs its milliseconds', async () => {
      const row = await transcribe(wavOf(12.345), isForm);
      expect(row).toMatchObject({ audio_ms: 12_345n, uncollected: 0n });
      expect(row.charged).toBe(row.cost);
    });

    it.each(Object.entries(DISGUISED))('%s costs as much as if it were honest', async (_name, write) => {
      const file = write(SECONDS);
      const row = await transcribe(file, isForm);
      expect(row.charged).toBe(row.cost);
      expect(row.cost).toBeLessThanOrEqual(BigInt(String(row.held)));
      // Silence in very few bytes costs what was reserved for them.
      const { audioMs: heldMs } = maxUnitsOfTranscription(file.length);
      expect(Number(row.audio_ms)).toBeGreaterThanOrEqual(Math.min(SECONDS * 1_000 - 300, heldMs));
    });

    it.each(Object.entries(UNREADABLE))('%s costs what was reserved', async (_name, write) => {
      const row = await transcribe(write(), isForm);
      expect(row.cost).toBeGreaterThan(0n);
      expect(row).toMatchObject({ charged: row.cost, uncollected: 0n });
      expect(row.cost).toBeLessThanOrEqual(BigInt(String(row.held)));
      // The next recording is measured as before.
      expect(await transcribe(HONEST.wav?.(1) ?? Buffer.alloc(0), isForm)).toMatchObject({
        audio_ms: 1_000n,
      });
    });
  },
);

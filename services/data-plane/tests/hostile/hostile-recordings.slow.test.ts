import { until, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { endlessMp4, trackWithoutNumber } from '../endpoints/hostile-audio.ts';
import { transcriptionAsText } from '../endpoints/transcription-as-text.ts';
import { wavOf } from '../endpoints/wav.ts';
import { spawnDataPlane } from '../process/data-plane-process.ts';

const gateway = withGateway();

const FILES = {
  'a track number of no bytes': trackWithoutNumber,
  'a table of four billion samples': endlessMp4,
};

it.each(Object.entries(FILES))('a data plane outlives a recording with %s', async (_name, write) => {
  await using plane = await spawnDataPlane(gateway);
  const send = async (file: Buffer, isForm: boolean) => {
    const body = transcriptionAsText('sim/transcribe-free', file, isForm);
    const response = await fetch(`${plane.baseUrl}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.rawKey}`,
        ...(isForm ? {} : { 'content-type': 'application/json' }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  };
  await until(async () => (await send(wavOf(1), true)).status === 200);
  for (const isForm of [true, false, true, false]) {
    expect(await send(write(), isForm)).toMatchObject({ status: 200 });
  }
  expect(await send(wavOf(1), true)).toMatchObject({ status: 200 });
  expect(plane.child.exitCode).toBeNull();
});

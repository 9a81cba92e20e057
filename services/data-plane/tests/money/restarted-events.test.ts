import {
  type GatewayOptions,
  modelEntry,
  providerEntry,
  type SharedGateway,
  withGateway,
  withoutCredential,
  withStarted,
} from '@model-gateway/test-kit';
import { afterAll, describe, expect, it } from 'vitest';
import { imageEditForm } from '../endpoints/image-edit-form.ts';
import { wavOf } from '../endpoints/wav.ts';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { payingKey, verifyLedger } from './money-fixture.ts';

const event = (type: string, members: object = {}) => `data: ${JSON.stringify({ type, ...members })}\n\n`;
const ERROR = event('error', { error: { message: 'no' } });
const JSON_TYPE = 'application/json';
const EVENTS = 'text/event-stream';

/** Responses of the provider, one for each attempt. */
let responses: { text: string; type?: string; pauseMs?: number }[] = [];
const provider = withStarted(() =>
  startScriptedProvider((res) => {
    const { pauseMs, text, type = EVENTS } = responses.shift() ?? { text: '' };
    res.writeHead(200, { 'content-type': type });
    if (pauseMs === undefined) return void res.end(text);
    res.flushHeaders();
    setTimeout(() => res.end(text), pauseMs);
  }),
);
const PRICES = {
  images: { image_usd: '0.01', input_per_million_usd: '5', output_per_million_usd: '40' },
  speech: { characters_per_million_usd: '15' },
  transcription: { audio_second_usd: '0.0001' },
};
const options = (overrides: object = {}): GatewayOptions => ({
  ownPools: true,
  overrides: { ...withoutBreakers(), ...overrides },
  document: () => ({
    providers: ['one', 'two'].map((id) => withoutCredential(providerEntry(id, provider.baseUrl))),
    models: [
      ...(['images', 'speech', 'transcription'] as const).map((capability) =>
        modelEntry(
          `one/${capability}`,
          { one: 'm', two: 'm' },
          { capability, tier: 'paid', pricing: PRICES[capability] },
        ),
      ),
      modelEntry(
        'one/falls-back',
        { one: 'm' },
        {
          capability: 'transcription',
          tier: 'paid',
          pricing: PRICES.transcription,
          fallbacks: ['one/transcription'],
        },
      ),
    ],
  }),
});
const gateway = withGateway(() => options());
afterAll(async () => {
  expect((await verifyLedger(gateway)).disagreements).toEqual([]);
});

const usage = (output: number) => ({ usage: { input_tokens: 100, output_tokens: output } });
const seconds = (count: number) => ({ usage: { type: 'duration', seconds: count } });
const drawing = { model: 'one/images', prompt: 'a boat', stream: true };
function recording(model = 'one/transcription'): FormData {
  const form = new FormData();
  // The file before `model` is kept in memory, so that it can be sent twice.
  form.append('file', new Blob([new Uint8Array(wavOf(2))], { type: 'audio/wav' }), 'a.wav');
  form.append('model', model);
  form.append('stream', 'true');
  return form;
}
const KINDS = {
  'images/generations': {
    body: drawing,
    first: event('image_generation.partial_image', { b64_json: 'AA', partial_image_index: 0 }),
    last: (mark: string) => event('image_generation.completed', { b64_json: mark, ...usage(1_000) }),
    units: { images: 1n, output_tokens: 1_000n },
  },
  'images/edits': {
    body: imageEditForm(drawing),
    first: event('image_edit.partial_image', { b64_json: 'AA', partial_image_index: 0 }),
    last: (mark: string) => event('image_edit.completed', { b64_json: mark, ...usage(1_000) }),
    units: { images: 1n, output_tokens: 1_000n },
  },
  'audio/speech': {
    body: { model: 'one/speech', input: 'Hello', voice: 'alloy', stream_format: 'sse' },
    first: event('speech.audio.delta', { audio: 'AA' }),
    last: (mark: string) => event('speech.audio.done', { mark }),
    units: { characters: 5n },
  },
  'audio/transcriptions': {
    body: recording(),
    first: event('transcript.text.delta', { delta: 'Hel' }),
    last: (mark: string) =>
      event('transcript.text.done', { text: mark, ...(mark === 'FAILED' ? seconds(9) : {}) }),
    units: { audio_ms: 2_000n },
  },
};
const PATHS = Object.keys(KINDS).map((path) => path as keyof typeof KINDS);

async function send(
  path: keyof typeof KINDS,
  texts: readonly (string | (typeof responses)[number])[],
  to: SharedGateway = gateway,
) {
  responses = texts.map((text) => (typeof text === 'string' ? { text } : text));
  const { rawKey: key } = await payingKey(to, '5');
  const answer = await to.ask(path, KINDS[path].body, { key });
  return { answer, row: await to.recordOf(answer) };
}

// The retry budget allows ten retries in ten seconds; these tests need fewer.
describe('a stream whose provider fails after its last event', () => {
  it.each(PATHS)(
    'gives the caller the events of the next provider only, and bills only those: %s',
    async (path) => {
      const { last, units } = KINDS[path];
      const { answer, row } = await send(path, [last('FAILED') + ERROR, last('SECOND')]);
      expect([answer.status, answer.isBroken]).toEqual([200, false]);
      expect(answer.body).not.toContain('FAILED');
      expect(answer.body).toContain('SECOND');
      expect(row).toMatchObject({ ...units, billing_reason: 'completed' });
    },
  );

  it.each(['images/edits', 'audio/speech'] as const)(
    'is not complete before the last event of the next provider: %s',
    async (path) => {
      const { first, last } = KINDS[path];
      const { answer } = await send(path, [last('FAILED') + ERROR, first]);
      expect(answer.isBroken, answer.body).toBe(true);
      expect(answer.body).not.toContain('FAILED');
    },
  );

  it('costs nothing if the next provider fails, too', async () => {
    const failed = KINDS['audio/transcriptions'].last('FAILED') + ERROR;
    const { answer, row } = await send('audio/transcriptions', [failed, failed, failed]);
    expect([answer.status, row.cost], answer.body).toEqual([502, 0n]);
  });

  it('is replaced by a whole transcript of the next provider', async () => {
    const failed = KINDS['audio/transcriptions'].last('FAILED') + ERROR;
    const whole = { text: JSON.stringify({ text: 'Hello' }), type: JSON_TYPE };
    const { answer, row } = await send('audio/transcriptions', [failed, whole]);
    expect([answer.status, answer.body]).toEqual([200, whole.text]);
    expect(row).toMatchObject({ audio_ms: 2_000n });
  });
});

it('a stream of two images that breaks off in the second one is not complete', async () => {
  const { first, last } = KINDS['images/generations'];
  const { answer, row } = await send('images/generations', [last('FIRST') + first]);
  expect(answer.isBroken, answer.body).toBe(true);
  expect(row).toMatchObject({ billing_reason: 'aborted_partial' });
});

describe('a whole transcript after a stream that keep-alives have begun', () => {
  const quick = withGateway(() => options({ streamTimings: { keepAliveMs: 50 } }));
  const failed = { text: KINDS['audio/transcriptions'].last('FAILED') + ERROR, pauseMs: 400 };
  const whole = { text: JSON.stringify({ text: 'Hello' }), type: JSON_TYPE };

  it('ends that stream with an error, and is free', async () => {
    const { answer, row } = await send('audio/transcriptions', [failed, whole, whole], quick);
    expect([answer.status, answer.isBroken], answer.body).toEqual([200, true]);
    expect(answer.body).toContain('"upstream_error"');
    expect(row).toMatchObject({ cost: 0n, billing_reason: 'upstream_failed_free' });
  });

  it('ends that stream with an error, also from a fallback', async () => {
    responses = [failed, whole, whole];
    const { rawKey: key } = await payingKey(quick, '5');
    const answer = await quick.ask('audio/transcriptions', recording('one/falls-back'), { key });
    expect([answer.status, answer.isBroken], answer.body).toEqual([200, true]);
    expect(answer.body).toContain('"upstream_error"');
  });
});

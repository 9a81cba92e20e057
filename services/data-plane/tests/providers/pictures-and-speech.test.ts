import { providerEntry, withGateway, withoutCredential, withStarted } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { openAiOf } from '../endpoints/official-clients.ts';
import { awsEnvironment } from './bedrock.ts';
import { json, startScriptedProvider } from './scripted-provider.ts';
import { withoutBreakers } from './without-breakers.ts';

const client = () => openAiOf(gateway);
/** Says whatever a test wants, to each kind of provider. */
const liar = withStarted(() => startScriptedProvider());

const BY_TOKENS = { image_usd: '0', input_per_million_usd: '0.3', output_per_million_usd: '30' };
const BY_PICTURE = { image_usd: '0.04' };
const MODELS = [
  { provider: 'google', model: 'sim-gemini-image', capability: 'images', pricing: BY_TOKENS },
  { provider: 'google', model: 'imagen-sim', capability: 'images', pricing: BY_PICTURE },
  { provider: 'bedrock', model: 'amazon.nova-canvas-sim-v1:0', capability: 'images', pricing: BY_PICTURE },
  {
    provider: 'google',
    model: 'sim-gemini-tts',
    capability: 'speech',
    pricing: { characters_per_million_usd: '17' },
  },
] as const;
const [DRAWS, IMAGEN, CANVAS, SPEAKS] = MODELS.map(({ model, provider }) => `${provider}/${nameOf(model)}`);

function nameOf(model: string): string {
  return model.replace(':', '-');
}

beforeAll(async () => {
  for (const [name, value] of Object.entries(awsEnvironment('AKIDPICTURES'))) vi.stubEnv(name, value);
});
const gateway = withGateway(() => ({
  document: (baseUrl) => {
    const google = (id: string, base: string) =>
      providerEntry(id, new URL('v1beta', base).href, { kind: 'gemini' });
    const bedrock = (id: string, base: string) =>
      withoutCredential(providerEntry(id, new URL(base).origin, { kind: 'bedrock', region: 'eu-central-1' }));
    return {
      providers: [
        google('google', baseUrl),
        bedrock('bedrock', baseUrl),
        google('lying-google', liar.baseUrl),
        bedrock('lying-bedrock', liar.baseUrl),
      ],
      models: MODELS.flatMap(({ capability, model, pricing, provider }) =>
        [provider, `lying-${provider}`].map((by) => ({
          id: `${by}/${nameOf(model)}`,
          name: model,
          capability,
          tier: 'paid' as const,
          pricing,
          upstreams: [{ provider: by, model }],
        })),
      ),
    };
  },
  overrides: withoutBreakers(),
}));
afterAll(async () => {
  vi.unstubAllEnvs();
});

const post = (path: string, request: object) => gateway.post(path, request);
const draw = (request: object) => post('images/generations', { prompt: 'a glacier', ...request });

const lastRequest = () => gateway.provider.requests.at(-1);
const PNG = /^iVBORw0KGgo/;
const drawn = z.looseObject({
  data: z.array(z.object({ b64_json: z.string() })),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }).optional(),
});

describe('pictures', () => {
  it.each([
    [DRAWS, 1, '1536x1024', { generationConfig: { imageConfig: { aspectRatio: '3:2' } } }],
    [IMAGEN, 3, '1600x900', { parameters: { sampleCount: 3, aspectRatio: '16:9' } }],
    [CANVAS, 2, '1280x720', { imageGenerationConfig: { numberOfImages: 2, width: 1_280, height: 720 } }],
  ] as const)(
    '%s draws as many pictures as requested, for the official client',
    async (model, n, size, body) => {
      const { data } = await client().images.generate({ model: model ?? '', prompt: 'a glacier', n, size });
      expect(data).toHaveLength(n);
      for (const { b64_json } of data ?? []) expect(b64_json).toMatch(PNG);
      expect(lastRequest()?.body).toMatchObject(body);
    },
  );

  it('a picture of Gemini costs its tokens, or all that was reserved when they are not plausible', async () => {
    const response = await draw({ model: DRAWS });
    const { usage } = drawn.parse(await response.json());
    expect(usage?.output_tokens).toBeGreaterThan(1_290);
    const nano = BigInt(usage?.input_tokens ?? 0) * 300n + BigInt(usage?.output_tokens ?? 0) * 30_000n;
    const paid = await gateway.receiptOf(response);
    expect(paid).toMatchObject({ usage_source: 'provider' });
    expect(BigInt(Math.round(Number(paid.settled_usd) * 1e9))).toBe(nano);
    for (const lie of ['missing', 'absurd', 'worded'] as const) {
      gateway.provider.script({ usage: lie });
      const lied = await draw({ model: DRAWS });
      expect(drawn.parse(await lied.json()).usage).toBeUndefined();
      const receipt = await gateway.receiptOf(lied);
      expect(receipt).toMatchObject({ usage_source: 'estimated' });
      expect(Number(receipt.settled_usd)).toBeGreaterThan(Number(paid.settled_usd) / 2);
    }
  });

  it.each([IMAGEN, CANVAS])('pictures of %s cost their number', async (model) => {
    const response = await draw({ model, n: 2 });
    expect(drawn.parse(await response.json()).data).toHaveLength(2);
    expect(Number((await gateway.receiptOf(response)).settled_usd)).toBe(0.08);
  });

  it.each([
    [DRAWS, 'n', 2],
    [IMAGEN, 'n', 5],
    [CANVAS, 'n', 6],
    [DRAWS, 'size', '1792x1024'],
    [IMAGEN, 'size', '1536x1024'],
    [CANVAS, 'size', 'large'],
    [DRAWS, 'response_format', 'url'],
    [CANVAS, 'response_format', 'url'],
    [DRAWS, 'stream', true],
    [CANVAS, 'stream', true],
    [IMAGEN, 'background', 'transparent'],
    [CANVAS, 'output_format', 'webp'],
  ])('pictures of %s with %s %s are refused by name', async (model, param, value) => {
    const response = await draw({ model, [param]: value });
    const text = await response.text();
    expect(response.status, text).toBe(400);
    expect(JSON.parse(text)).toMatchObject({
      error: { param, message: expect.stringContaining(`"${model}"`) },
    });
    expect(gateway.provider.requests).toEqual([]);
  });

  it('a size that the model decides itself is named as ignored', async () => {
    expect((await draw({ model: DRAWS, size: '512x512' })).headers.get('x-gateway-ignored')).toBe('size');
    for (const size of ['1024x1024', 'auto']) {
      expect((await draw({ model: DRAWS, size })).headers.get('x-gateway-ignored')).toBeNull();
    }
  });

  it.each([
    [DRAWS, { candidates: [{ finishReason: 'IMAGE_SAFETY', finishMessage: 'Too cold.' }] }, 'Too cold.'],
    [DRAWS, { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } }, 'PROHIBITED_CONTENT'],
    [IMAGEN, { predictions: [{ raiFilteredReason: 'It is a person.' }] }, 'It is a person.'],
    [IMAGEN, {}, 'no picture'],
    [CANVAS, { images: [], error: 'Blocked.' }, 'Blocked.'],
  ])(
    "pictures of %s that were held back are a refusal in the provider's words",
    async (model, answer, words) => {
      liar.respond = json(200, JSON.stringify(answer));
      const response = await draw({ model: `lying-${model}` });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(words);
      expect(await gateway.receiptOf(response)).toMatchObject({ settled_usd: '0.000000000' });
    },
  );

  it.each([
    [DRAWS, { candidates: [{}, {}] }],
    [DRAWS, { candidates: 'none' }],
    [IMAGEN, { predictions: [{ bytesBase64Encoded: 7 }] }],
    [IMAGEN, { predictions: 'none' }],
    [CANVAS, { images: [''] }],
    [CANVAS, { images: 'none' }],
  ])('pictures of %s fail when the response has none', async (model, answer) => {
    liar.respond = json(200, JSON.stringify(answer));
    expect((await draw({ model: `lying-${model}` })).status).toBe(502);
  });

  it('a picture may be larger than any text', async () => {
    const data = Buffer.alloc(9 * 1024 * 1024, 7).toString('base64');
    liar.respond = json(200, JSON.stringify({ predictions: [{ bytesBase64Encoded: data }] }));
    expect(drawn.parse(await (await draw({ model: `lying-${IMAGEN}` })).json()).data).toEqual([
      { b64_json: data },
    ]);
  });
});

const say = (request: object, model = SPEAKS) =>
  post('audio/speech', { model, voice: 'Kore', input: 'Ice.', response_format: 'wav', ...request });

describe('speech of Gemini', () => {
  it('speech is a WAV file or its samples, and costs its characters', async () => {
    const response = await client().audio.speech.create({
      model: SPEAKS ?? '',
      voice: 'Kore',
      input: 'Ice.',
      instructions: 'Say it slowly:',
      response_format: 'wav',
    });
    expect(response.headers.get('content-type')).toBe('audio/wav');
    const wav = Buffer.from(await response.arrayBuffer());
    expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
    expect(wav.readUInt32LE(24)).toBe(24_000);
    expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
    expect(lastRequest()?.body).toMatchObject({
      contents: [{ parts: [{ text: 'Say it slowly:\n\nIce.' }] }],
      generationConfig: { responseModalities: ['AUDIO'] },
    });
    const samples = await say({ response_format: 'pcm', instructions: 'Say it slowly:' });
    expect(samples.headers.get('content-type')).toBe('audio/pcm');
    expect(Buffer.from(await samples.arrayBuffer())).toEqual(wav.subarray(44));
    expect(await gateway.receiptOf(samples)).toMatchObject({ settled_usd: '0.000068000' });
  });

  it.each([
    ['response_format', undefined],
    ['response_format', 'mp3'],
    ['speed', 2],
    ['stream_format', 'sse'],
  ])('speech with %s %s is refused by name', async (param, value) => {
    const response = await say({ [param]: value });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { param } });
  });

  it.each([
    ['no sound', [{ text: 'Ice.' }]],
    ['another sound', [{ inlineData: { mimeType: 'audio/mp3', data: 'AAAA' } }]],
    ['another rate', [{ inlineData: { mimeType: 'audio/L16;rate=16000', data: 'AAAA' } }]],
    ['no parts', 'none'],
  ])('speech fails when the response has %s, and costs nothing', async (_title, parts) => {
    const candidate = { content: { parts }, finishReason: 'STOP' };
    liar.respond = json(200, JSON.stringify({ candidates: [candidate] }));
    const response = await say({}, `lying-${SPEAKS}`);
    expect(response.status).toBe(502);
    expect(await gateway.receiptOf(response)).toMatchObject({ settled_usd: '0.000000000' });
  });
});

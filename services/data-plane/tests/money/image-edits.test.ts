import {
  envelopeOf,
  providerEntry,
  simulatedCatalog,
  withGateway,
  withoutCredential,
  withStarted,
} from '@model-gateway/test-kit';
import { afterAll, describe, expect, it } from 'vitest';
import { imageEditForm, type PictureFile } from '../endpoints/image-edit-form.ts';
import { startScriptedProvider } from '../providers/scripted-provider.ts';
import { payingKey, verifyLedger } from './money-fixture.ts';

const MILLION = 1_000_000n;
/** US dollars per million, in nano-USD: prices that leave fractions everywhere. */
const [TEXT, PICTURE, OUTPUT, EACH] = [5_000_000_007n, 10_000_000_003n, 40_000_000_009n, 10_000_001n];
/** What the simulated provider counts. */
const [PICTURE_TOKENS, HIGH_TOKENS, IMAGE_TOKENS] = [194n, 4_354n, 1_056n];
const roundedUp = (sum: bigint) => (sum + MILLION - 1n) / MILLION;

let usage: object = {};
const plain = withStarted(() =>
  startScriptedProvider((res) => {
    res.writeHead(200, { 'content-type': 'application/json' });
    res.end(JSON.stringify({ created: 1, data: [{ b64_json: 'AAAA' }], usage }));
  }),
);

const gateway = withGateway(() => ({
  ownPools: true,
  document: (baseUrl) => {
    const { models, providers } = simulatedCatalog(baseUrl);
    const model = models.find(({ id }) => id === 'sim/image-pro');
    if (model === undefined) throw new Error('there is such a model');
    const tokens = { input_per_million_usd: '5.000000007', output_per_million_usd: '40.000000009' };
    const pricing = { image_usd: '0.010000001', ...tokens };
    const priced = { ...pricing, image_input_per_million_usd: '10.000000003' };
    return {
      providers: [...providers, withoutCredential(providerEntry('plain', plain.baseUrl))],
      models: [
        { ...model, pricing: priced },
        { ...model, id: 'plain/image', pricing: priced, upstreams: [{ provider: 'plain', model: 'm' }] },
        { ...model, id: 'sim/no-picture-price', pricing },
        { ...model, id: 'sim/by-number', pricing: { image_usd: '0.010000001' } },
      ],
    };
  },
}));
afterAll(async () => {
  expect((await verifyLedger(gateway)).disagreements).toEqual([]);
});

const PROMPT = 'add a boat';
const TWO: PictureFile[] = [
  ['image[]', 'a.png'],
  ['image[]', 'b.png'],
];

async function send(rawKey: string, fields: object, files?: readonly PictureFile[]) {
  const form = imageEditForm({ model: 'sim/image-pro', prompt: PROMPT, ...fields }, files);
  return gateway.ask('images/edits', form, { key: rawKey });
}

async function paid(fields: object, files?: readonly PictureFile[]) {
  const { rawKey } = await payingKey(gateway, '20');
  const answer = await send(rawKey, fields, files);
  expect(answer.status, answer.body).toBe(200);
  const row = await gateway.recordOf(answer);
  expect(BigInt(String(row.cost))).toBeLessThanOrEqual(BigInt(String(row.held)));
  expect(row).toMatchObject({ charged: row.cost, uncollected: 0n });
  return row;
}

/** Text tokens of the prompt, by the simulated provider's count. */
async function textTokens(): Promise<bigint> {
  const { input_tokens, image_input_tokens } = await paid({});
  return BigInt(String(input_tokens)) - BigInt(String(image_input_tokens));
}

const cost = (text: bigint, pictures: bigint, images: bigint) =>
  roundedUp(text * TEXT + pictures * PICTURE + images * IMAGE_TOKENS * OUTPUT + images * EACH * MILLION);

describe('an edit of images costs to the nano-dollar', () => {
  it.each<[string, object, PictureFile[] | undefined, bigint, bigint]>([
    ['one picture', {}, undefined, PICTURE_TOKENS, 1n],
    ['two pictures and a mask', {}, [...TWO, ['mask', 'm.png']], 3n * PICTURE_TOKENS, 1n],
    ['pictures at high fidelity', { input_fidelity: 'high' }, TWO, 2n * HIGH_TOKENS, 1n],
    ['ten images', { n: 10 }, undefined, PICTURE_TOKENS, 10n],
    ['a stream', { stream: true, partial_images: 3 }, TWO, 2n * PICTURE_TOKENS, 1n],
  ])('its text, pictures, output and images: %s', async (_name, fields, files, pictures, images) => {
    const text = await textTokens();
    expect(text).toBeGreaterThan(0n);
    const row = await paid(fields, files);
    expect(row).toMatchObject({
      ...{ input_tokens: text + pictures, image_input_tokens: pictures, images },
      ...{ output_tokens: images * IMAGE_TOKENS, cost: cost(text, pictures, images) },
      ...{ billing_reason: 'completed', usage_source: 'provider' },
    });
  });

  it('pictures without a price cost the dearest of the input', async () => {
    const row = await paid({ model: 'sim/no-picture-price' }, TWO);
    const text = BigInt(String(row.input_tokens)) - 2n * PICTURE_TOKENS;
    const expected = roundedUp((text + 2n * PICTURE_TOKENS) * TEXT + IMAGE_TOKENS * OUTPUT + EACH * MILLION);
    expect(row).toMatchObject({ cost: expected, image_input_tokens: 2n * PICTURE_TOKENS });
  });

  it.each([
    ['without details, all of its input as pictures', undefined, 100n],
    ['with details, what they say', { image_tokens: 60, text_tokens: 40 }, 60n],
    ['with more pictures than input, its input', { image_tokens: 600 }, 100n],
    ['with details that are no count, all of its input as pictures', { image_tokens: 1.5 }, 100n],
  ])('its provider counts %s', async (_name, details, pictures) => {
    usage = { input_tokens: 100, output_tokens: 1_056, input_tokens_details: details };
    const row = await paid({ model: 'plain/image' }, TWO);
    expect(row).toMatchObject({
      ...{ input_tokens: 100n, image_input_tokens: pictures, usage_source: 'provider' },
      cost: cost(100n - pictures, pictures, 1n),
    });
  });

  it('a model without prices for tokens costs its images alone', async () => {
    expect(await paid({ model: 'sim/by-number', n: 2 }, TWO)).toMatchObject({
      ...{ images: 2n, input_tokens: 0n, image_input_tokens: 0n, cost: 2n * EACH },
    });
  });

  it.each([{ stream: false }, { stream: true }])(
    'without a count, it costs what was reserved: %o',
    async (fields) => {
      const row = await paid({ ...fields, simulate: { usage: 'missing' } }, TWO);
      expect(row).toMatchObject({ usage_source: 'estimated', image_input_tokens: 14_000n, images: 1n });
      expect(row.cost).toBeGreaterThan(14_000n * 10_000n);
    },
  );

  it.each(['absurd', 'worded', 'huge'])(
    'with %s counts, it costs at most what was reserved',
    async (usage) => {
      const { rawKey } = await payingKey(gateway, '1000000');
      const answer = await send(rawKey, { simulate: { usage } });
      const row = await gateway.recordOf(answer);
      expect(row).toMatchObject({ uncollected: 0n, usage_source: 'estimated' });
      expect(row.cost).toBeLessThanOrEqual(BigInt(String(row.held)));
    },
  );
});

describe('the hold of an edit', () => {
  it('covers 16 pictures at high fidelity for each of ten images', async () => {
    const files = Array.from({ length: 16 }, (_, index): PictureFile => ['image[]', `${index}.png`]);
    const row = await paid({ n: 10, input_fidelity: 'high' }, files);
    const bound = 10n * 16n * 7_000n * PICTURE;
    expect(BigInt(String(row.held)) * MILLION).toBeGreaterThan(bound);
  });

  it('refuses an edit whose pictures the balance cannot cover, and the provider sees nothing', async () => {
    // One picture reserves 0.07 USD and its image 0.26.
    const { rawKey } = await payingKey(gateway, '0.36');
    expect((await send(rawKey, {}, TWO)).status).toBe(402);
    expect(envelopeOf(await send(rawKey, { n: 2 })).type).toBe('insufficient_balance');
    expect(gateway.provider.requests).toEqual([]);
    expect((await send(rawKey, {})).status).toBe(200);
  });
});

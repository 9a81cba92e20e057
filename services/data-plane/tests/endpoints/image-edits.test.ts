import {
  envelopeOf,
  modelEntry,
  providerEntry,
  simulatedCatalog,
  withGateway,
} from '@model-gateway/test-kit';
import { toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import { imageEditForm, PNG } from './image-edit-form.ts';
import { openAiOf } from './official-clients.ts';

const MODEL = 'sim/image-free';
const images = { capability: 'images' } as const;
const AZURE = '/openai/v1';

const gateway = withGateway({
  document: (baseUrl) => {
    const { models, providers } = simulatedCatalog(baseUrl);
    const azure = baseUrl.replace(/\/v1$/, AZURE);
    const gemini = baseUrl.replace(/\/v1$/, '/v1beta');
    return {
      providers: [
        ...providers,
        providerEntry('azure', azure, { kind: 'azure-openai' }),
        providerEntry('gemini', gemini, { kind: 'gemini' }),
      ],
      models: [
        ...models,
        modelEntry('azure/draws', { azure: 'sim-image-free' }, images),
        modelEntry('gemini/draws', { gemini: 'sim-gemini-image' }, images),
        modelEntry('gemini/falls-back', { gemini: 'sim-gemini-image' }, { ...images, fallbacks: [MODEL] }),
        modelEntry('azure/or-sim', { azure: 'sim-image-free', sim: 'sim-image-free' }, images),
        modelEntry('gemini/or-sim', { gemini: 'sim-gemini-image', sim: 'sim-image-free' }, images),
      ],
    };
  },
});

const client = () => openAiOf(gateway);
const picture = (name = 'a.png') => toFile(PNG, name, { type: 'image/png' });
const edit = (fields: object, files?: Parameters<typeof imageEditForm>[1]) =>
  gateway.ask('images/edits', imageEditForm({ model: MODEL, prompt: 'add a boat', ...fields }, files));
const PNG_FILE = { filename: 'a.png', mime_type: 'image/png', bytes: PNG.length };

describe('edits of images', () => {
  it('one picture of the official client reaches the provider with its fields', async () => {
    const result = await client().images.edit({
      model: MODEL,
      image: await picture(),
      prompt: 'add a boat',
      n: 2,
      size: '1024x1024',
      quality: 'low',
      background: 'opaque',
      input_fidelity: 'high',
      user: 'ada',
    });
    expect(result.data).toHaveLength(2);
    expect(result.usage?.input_tokens_details.image_tokens).toBe(4_354);
    const [sent] = gateway.provider.requests;
    expect(sent?.path).toBe('/v1/images/edits');
    expect(sent?.body).toEqual({
      ...{ model: 'sim-image-free', prompt: 'add a boat', n: '2', size: '1024x1024', quality: 'low' },
      ...{ background: 'opaque', input_fidelity: 'high', user: 'ada', image: PNG_FILE },
    });
    expect(sent?.bodyText).toContain(PNG.toString('latin1'));
    expect(sent?.headers['content-length']).toBe(String(sent?.bodyText.length));
    expect(gateway.logLines('"route":"/v1/images/edits"').at(-1)).toMatchObject({
      ...{ images: 2, usage_source: 'gateway' },
    });
  });

  it('16 pictures and a mask reach the provider in their order', async () => {
    const image = await Promise.all(Array.from({ length: 16 }, (_, index) => picture(`${index}.png`)));
    await client().images.edit({ model: MODEL, image, mask: await picture('mask.png'), prompt: 'join' });
    const [sent] = gateway.provider.requests;
    expect(sent?.body).toMatchObject({
      'image[]': image.map(({ name }) => ({ ...PNG_FILE, filename: name })),
      mask: { ...PNG_FILE, filename: 'mask.png' },
    });
  });

  it('a streamed edit comes as its events', async () => {
    const stream = await client().images.edit({
      ...{ model: MODEL, image: await picture(), prompt: 'add a boat' },
      stream: true,
      partial_images: 2,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual(['image_edit.partial_image', 'image_edit.partial_image', 'image_edit.completed']);
    expect(gateway.logLines('"route":"/v1/images/edits"').at(-1)).toMatchObject({
      ...{ images: 1, streamed: true, outcome: 'completed' },
    });
  });

  it('a streamed edit that breaks off is never complete', async () => {
    const simulate = { truncate: { after_events: 2 } };
    const answer = await edit({ stream: true, partial_images: 3, simulate });
    expect(answer.isBroken).toBe(true);
    expect(answer.body).not.toContain('image_edit.completed');
  });

  it('Azure serves edits below its own path', async () => {
    expect((await edit({ model: 'azure/draws' })).status).toBe(200);
    expect(gateway.provider.requests[0]?.path).toBe(`${AZURE}/images/edits`);
  });

  it('a failed try is repeated with the whole form', async () => {
    gateway.provider.script({ status: 500 });
    const answer = await edit({ model: 'azure/or-sim', n: 3 });
    expect(answer.status, answer.body).toBe(200);
    expect(gateway.provider.requests.map(({ path }) => path)).toEqual([
      `${AZURE}/images/edits`,
      '/v1/images/edits',
    ]);
    const bodies = gateway.provider.requests.map(({ body }) => body);
    expect(bodies[1]).toEqual(bodies[0]);
  });

  it('a model whose provider cannot edit is refused, or another provider or model does', async () => {
    const refused = await edit({ model: 'gemini/draws' });
    expect(refused.status).toBe(400);
    expect(envelopeOf(refused)).toMatchObject({
      ...{ code: 'invalid_request', param: 'model' },
      message: 'model: the model "gemini/draws" generates images, but has no provider that edits them.',
    });
    expect(gateway.provider.requests).toEqual([]);
    expect((await edit({ model: 'gemini/or-sim' })).status).toBe(200);
    const other = await edit({ model: 'gemini/falls-back' });
    expect([other.status, other.headers.get('x-gateway-model')]).toEqual([200, MODEL]);
  });

  it('a model of another capability, or an unknown one, is refused', async () => {
    const refusals = [await edit({ model: 'sim/chat-free' }), await edit({ model: 'sim/nope' })];
    expect(refusals.map((answer) => [answer.status, envelopeOf(answer).code])).toEqual([
      [400, 'wrong_endpoint'],
      [404, 'model_not_found'],
    ]);
  });

  it('its labels are those of the form', async () => {
    const row = await gateway.recordOf(await edit({ user: 'ada', session_id: 'seven' }));
    expect(row).toMatchObject({ end_user: 'ada', session: 'seven' });
  });

  it('notes and the session of the caller stay here', async () => {
    expect((await edit({ notre: 'mine', session_id: 'seven' })).status).toBe(200);
    expect(gateway.provider.requests[0]?.body).not.toHaveProperty('notre');
    expect(gateway.provider.requests[0]?.body).not.toHaveProperty('session_id');
  });

  it('other fields and lists pass unchanged', async () => {
    expect((await edit({ moderation: 'low', 'tags[]': 'x' })).status).toBe(200);
    expect(gateway.provider.requests[0]?.body).toMatchObject({ moderation: 'low', 'tags[]': 'x' });
  });

  it.each<[string, object, string]>([
    ['no prompt', { prompt: '' }, 'prompt'],
    ['n of 11', { n: 11 }, 'n'],
    ['n in another form', { n: '0x2' }, 'n'],
    ['four partial images', { partial_images: 4 }, 'partial_images'],
    ['another stream', { stream: 'yes' }, 'stream'],
    ['another spelling', { N: 10 }, 'N'],
    ['another spelling of a file', { Image: 'x' }, 'Image'],
    ['a picture that is a text', { image: 'x' }, 'image'],
    ['a mask that is a text', { mask: 'x' }, 'mask'],
  ])('a form with %s is refused', async (_name, fields, param) => {
    const answer = await edit(fields);
    expect(answer.status, answer.body).toBe(400);
    expect(envelopeOf(answer)).toMatchObject({ type: 'invalid_request_error', param });
    expect(gateway.provider.requests).toEqual([]);
  });

  it('JSON is refused', async () => {
    const answer = await gateway.ask('images/edits', { model: MODEL, prompt: 'x', images: [] });
    expect([answer.status, envelopeOf(answer).code]).toEqual([415, 'unsupported_media_type']);
  });
});

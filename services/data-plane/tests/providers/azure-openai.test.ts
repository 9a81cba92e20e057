import { type Capability, KIND_CAPABILITIES } from '@model-gateway/shared';
import {
  chatBody,
  envelopeOf,
  modelEntry,
  providerEntry,
  simulatedCatalog,
  withGateway,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { openAiOf } from '../endpoints/official-clients.ts';

/** As one resource of Azure would be there, beside OpenAI's own API of the same simulated provider. */
const PREFIX = '/openai/v1';

const gateway = withGateway({
  document: (baseUrl) => {
    const azure = providerEntry('sim', baseUrl.replace(/\/v1$/, PREFIX), { kind: 'azure-openai' });
    const { models } = simulatedCatalog(baseUrl);
    return {
      providers: [
        azure,
        { ...azure, id: 'chat-only', apis: ['chat'] },
        { ...azure, id: 'locked', credential_env: 'NO_KEY_OF_AZURE' },
      ],
      models: [
        ...models.filter(({ capability }) => KIND_CAPABILITIES['azure-openai'].includes(capability)),
        ...['chat-only', 'locked'].map((id) => modelEntry(`${id}/model`, { [id]: 'sim-chat-free' })),
      ],
    };
  },
  environment: { NO_KEY_OF_AZURE: 'a-key-that-is-wrong-there' },
});

const PATHS: Record<
  Exclude<Capability, 'moderation' | 'transcription' | 'rerank'>,
  [path: string, body: object]
> = {
  chat: ['/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  completions: ['/completions', { prompt: 'hi' }],
  embeddings: ['/embeddings', { input: 'hi' }],
  images: ['/images/generations', { prompt: 'a house' }],
  speech: ['/audio/speech', { input: 'hi', voice: 'alloy' }],
};
const NAMES = {
  chat: 'chat',
  completions: 'complete',
  embeddings: 'embed',
  images: 'image',
  speech: 'speech',
};
const post = (path: string, body: object) => gateway.post(`/v1${path}`, body);

describe('a provider of the kind azure-openai', () => {
  it.each(['chat', 'completions', 'embeddings', 'images', 'speech'] as const)(
    'Azure serves %s below its own path, with the key only in its own header',
    async (capability) => {
      const [path, body] = PATHS[capability];
      const answer = await post(path, { model: `sim/${NAMES[capability]}-pro`, ...body });
      expect(answer.status, await answer.text()).toBe(200);
      const [sent] = gateway.provider.requests;
      expect(sent).toMatchObject({ method: 'POST', path: PREFIX + path });
      expect(sent?.headers).toMatchObject({ 'api-key': expect.stringMatching(/./) });
      expect(sent?.headers).not.toHaveProperty('authorization');
      expect(sent?.body).toMatchObject({ model: `sim-${NAMES[capability]}-pro` });
    },
  );

  it('Azure takes an upload for a transcription', async () => {
    const client = openAiOf(gateway);
    const speech = await post('/audio/speech', {
      model: 'sim/speech-free',
      input: 'good morning',
      voice: 'alloy',
      response_format: 'wav',
    });
    const file = new File([await speech.blob()], 'speech.wav');
    const { text } = await client.audio.transcriptions.create({ model: 'sim/transcribe-pro', file });
    expect(text).not.toBe('');
    expect(gateway.provider.requests.at(-1)?.path).toBe(`${PREFIX}/audio/transcriptions`);
  });

  it.each([false, true])('Azure gets Responses unchanged, and stores them; streamed: %s', async (stream) => {
    const client = openAiOf(gateway);
    const request = { model: 'sim/chat-pro', input: 'hi', store: true };
    let id = '';
    if (stream) {
      for await (const event of await client.responses.create({ ...request, stream: true }))
        if (event.type === 'response.completed') id = event.response.id;
    } else ({ id } = await client.responses.create(request));
    expect(gateway.provider.requests[0]?.path).toBe(`${PREFIX}/responses`);
    expect(await client.responses.retrieve(id)).toMatchObject({ id, model: 'sim/chat-pro' });
    const next = await client.responses.create({ ...request, previous_response_id: id });
    expect(next.previous_response_id).toBe(id);
    expect(gateway.provider.requests.map(({ path }) => path.split('/').slice(0, 4).join('/'))).toEqual([
      `${PREFIX}/responses`,
      `${PREFIX}/responses`,
      `${PREFIX}/responses`,
    ]);
  });

  it('Azure gets Chat Completions for Messages, and for Responses where it has only chats', async () => {
    const responses = await post('/responses', { model: 'chat-only/model', input: 'hi', store: false });
    expect(responses.status, await responses.text()).toBe(200);
    const messages = await post('/messages', chatBody({ max_tokens: 20 }));
    expect(messages.status, await messages.text()).toBe(200);
    const paths = gateway.provider.requests.map(({ path }) => path);
    expect(paths).toEqual([`${PREFIX}/chat/completions`, `${PREFIX}/chat/completions`]);
  });

  it("a rejected Azure key is named to the operator, and neither Azure's words nor the key to callers", async () => {
    const answer = await post('/chat/completions', chatBody({ model: 'locked/model' }));
    const body = await answer.text();
    expect([answer.status, envelopeOf({ body }).code]).toEqual([502, 'upstream_error']);
    expect(body).not.toMatch(/subscription key|a-key-that-is-wrong-there/);
    expect(gateway.logText()).toContain('NO_KEY_OF_AZURE');
    expect(gateway.logText()).not.toContain('a-key-that-is-wrong-there');
  });

  it("the access log has Azure's own request id", async () => {
    await (await post('/chat/completions', { model: 'sim/chat-free', ...PATHS.chat[1] })).text();
    expect(JSON.stringify(gateway.logLines('/v1/chat/completions').at(-1))).toMatch(/req_[0-9a-f]{24}/);
  });
});

import { chatBody, envelopeOf, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { wavOf } from './wav.ts';

const gateway = withGateway();

const send = (path: string, body: string | FormData) => gateway.ask(path, body);

async function expectRefused(path: string, body: string | FormData, param: string): Promise<void> {
  const answer = await send(path, body);
  expect(answer.status, answer.body).toBe(400);
  expect(envelopeOf(answer)).toMatchObject({ type: 'invalid_request_error', code: 'invalid_request', param });
  expect(envelopeOf(answer).message).toContain(param);
  expect(gateway.provider.requests).toHaveLength(0);
}

const FILE = { data: wavOf(0.1).toString('base64'), filename: 'a.wav' };
const ROUTES: Record<string, { request: Record<string, unknown>; others: Record<string, unknown> }> = {
  'chat/completions': {
    request: chatBody(),
    others: {
      Model: 'sim-chat-pro',
      MAX_TOKENS: 100_000,
      maxTokens: 100_000,
      Max_Completion_Tokens: 100_000,
      N: 128,
      Messages: [],
      'me\u017f\u017fages': [],
      Stream: true,
      Service_Tier: 'priority',
      Web_Search_Options: {},
      TOOLS: [],
      To\u006fLs: [],
      Best_Of: 20,
      Prediction: {},
      Notre: 1,
    },
  },
  embeddings: {
    request: { model: 'sim/embed-free', input: 'hi' },
    others: { Model: 'sim-embed-pro', INPUT: ['a', 'b'], Dimensions: 1 },
  },
  rerank: {
    request: { model: 'sim/rerank-free', query: 'a', documents: ['b'] },
    others: { MODEL: 'sim-rerank-pro', Documents: ['a', 'b'], Query: 'x', Top_N: 1 },
  },
  'images/generations': {
    request: { model: 'sim/image-free', prompt: 'a' },
    others: { Model: 'sim-image-pro', N: 10, Quality: 'hd', SIZE: 'x', Partial_Images: 3 },
  },
  'audio/speech': {
    request: { model: 'sim/speech-free', input: 'a', voice: 'b' },
    others: { mOdel: 'sim-speech-pro', Input: 'long', Instructions: 'x' },
  },
  'audio/transcriptions': {
    request: { model: 'sim/transcribe-free', file: FILE },
    others: { Model: 'sim-transcribe-pro', FILE: {}, Response_Format: 'text' },
  },
};
const CASES = Object.entries(ROUTES).flatMap(([path, { request, others }]) =>
  Object.entries(others).map(([name, value]) => ({ path, request, name, value })),
);

it.each(CASES)('$path refuses $name, before and after the field that it imitates', async (entry) => {
  const { path, request, name, value } = entry;
  await expectRefused(path, JSON.stringify({ ...request, [name]: value }), name);
  await expectRefused(path, JSON.stringify({ [name]: value, ...request }), name);
});

it('an escape in a name does not hide its other spelling', async () => {
  const body = '{"model":"sim/chat-free","messages":[{"role":"user","content":"hi"}],"\\u004dodel":"x"}';
  await expectRefused('chat/completions', body, 'Model');
});

it('a field in another case is refused by name, even without the real field', async () => {
  await expectRefused('embeddings', '{"Model":"sim/embed-free","input":"hi"}', 'Model');
});

describe('another spelling below the top level', () => {
  const chat = (more: object) => JSON.stringify(chatBody({ ...more }));

  it.each<[string, object, string]>([
    ['content', { messages: [{ role: 'user', content: 'hi', Content: [] }] }, 'messages[0].Content'],
    ['role', { messages: [{ role: 'user', content: 'hi', ROLE: 'system' }] }, 'messages[0].ROLE'],
    [
      'the type of a part',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'a', Type: 'image_url' }] }] },
      'messages[0].content[0].Type',
    ],
    [
      'what asks for the usage',
      { stream: true, stream_options: { Include_Usage: false } },
      'stream_options.Include_Usage',
    ],
  ])('another spelling of %s is refused', async (_name, more, param) => {
    await expectRefused('chat/completions', chat(more), param);
  });
});

describe('another spelling in a form', () => {
  const form = (...fields: [string, string][]) => {
    const built = new FormData();
    for (const [name, value] of fields) built.append(name, value);
    built.set('file', new Blob([new Uint8Array(wavOf(0.1))], { type: 'audio/wav' }), 'a.wav');
    return built;
  };

  it('a form with another spelling before its file is refused', async () => {
    const fields = form(['model', 'sim/transcribe-free'], ['Model', 'sim-transcribe-pro']);
    await expectRefused('audio/transcriptions', fields, 'Model');
  });

  it('a form with another spelling after its file gets 400', async () => {
    const fields = form(['model', 'sim/transcribe-free']);
    fields.append('Response_Format', 'text');
    const answer = await send('audio/transcriptions', fields);
    expect(answer.status).toBe(400);
    expect(envelopeOf(answer)).toMatchObject({ param: 'Response_Format' });
  });
});

it('a field that only resembles a known one passes unchanged', async () => {
  const more = { models_of_mine: ['a'], temperature: 0.5, topP: 1, Nn: 2 };
  const answer = await send('chat/completions', JSON.stringify(chatBody({ ...more })));
  expect(answer.status, answer.body).toBe(200);
  const sent = gateway.provider.requests.map(({ body }) => body);
  expect(sent).toContainEqual(expect.objectContaining(more));
});

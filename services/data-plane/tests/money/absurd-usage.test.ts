import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { wavOf } from '../endpoints/wav.ts';

const gateway = withGateway();

interface Case {
  name: string;
  path: string;
  request: Record<string, unknown>;
  /** Estimate of the gateway. */
  counted: Record<string, unknown>;
}

const FILE = { data: wavOf(1.5).toString('base64'), filename: 'speech.wav', mime_type: 'audio/wav' };

const CASES: Case[] = [
  {
    name: 'images',
    path: 'images/generations',
    request: { model: 'sim/image-pro', prompt: 'a red square', n: 2 },
    counted: { images: 2, usage_source: 'gateway' },
  },
  {
    name: 'streamed images',
    path: 'images/generations',
    request: { model: 'sim/image-pro', prompt: 'a red square', stream: true },
    counted: { images: 1, usage_source: 'gateway' },
  },
  {
    name: 'speech as events',
    path: 'audio/speech',
    request: { model: 'sim/speech-pro', voice: 'alloy', input: 'Hello', stream_format: 'sse' },
    counted: { characters: 5, usage_source: 'gateway' },
  },
  {
    name: 'a transcription',
    path: 'audio/transcriptions',
    request: { model: 'sim/transcribe-pro', file: FILE },
    counted: { audio_ms: 1_500, usage_source: 'gateway' },
  },
  {
    name: 'a streamed transcription',
    path: 'audio/transcriptions',
    request: { model: 'sim/transcribe-pro', file: FILE, stream: true },
    counted: { audio_ms: 1_500, usage_source: 'gateway' },
  },
];

async function send({ path, request }: Pick<Case, 'path' | 'request'>) {
  const { body: text, headers, status } = await gateway.ask(path, request);
  const [record = {}] = gateway.logLines(headers.get('x-request-id') ?? '', '"msg":"request"');
  return { status, text, record };
}

describe.each(CASES)('$name', ({ path, request, counted }) => {
  it.each(['absurd', 'worded'])(
    'a response with %s usage loses it, and is metered by what came',
    async (usage) => {
      const answer = await send({ path, request: { ...request, simulate: { usage } } });
      expect(answer.status).toBe(200);
      expect(answer.text.length).toBeGreaterThan(20);
      expect(answer.text).not.toContain('"usage"');
      expect(answer.record).toMatchObject({ outcome: 'completed', ...counted });
    },
  );

  it('a response with plausible usage keeps it', async () => {
    const answer = await send({ path, request });
    expect(answer.text).toMatch(/"usage":\{[^}]*(tokens|seconds)":\d/);
  });
});

it.each<[string, object, object]>([
  ['embeddings', { model: 'sim/embed-pro', input: 'hello' }, { input_tokens: 2 }],
  ['rerank', { model: 'sim/rerank-pro', query: 'a', documents: ['b'] }, { search_units: 1, input_tokens: 1 }],
  ['moderations', { model: 'sim/moderate-pro', input: 'hello' }, { input_tokens: 2 }],
])('a huge count of %s is not believed', async (path, request, counted) => {
  const { record } = await send({ path, request: { ...request, simulate: { usage: 'huge' } } });
  expect(record).toMatchObject({ outcome: 'completed', ...counted });
  expect(record.usage_source).not.toBe('provider');
});

it.each(['absurd', 'worded'])('a chat with %s usage reports what the gateway counted', async (usage) => {
  for (const stream of [false, true]) {
    const { text, record } = await send({
      path: 'chat/completions',
      request: {
        model: 'sim/chat-pro',
        messages: [{ role: 'user', content: 'hello there' }],
        simulate: { usage },
        ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
      },
    });
    const { input_tokens: input, output_tokens: output } = record;
    expect(record.usage_source).toBe('estimated');
    expect(text).toContain(
      `"usage":{"prompt_tokens":${input},"completion_tokens":${output},"total_tokens":${Number(input) + Number(output)}}`,
    );
  }
});

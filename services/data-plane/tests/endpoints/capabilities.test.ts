import { withGateway } from '@model-gateway/test-kit';
import { toFile } from 'openai';
import type { AudioResponseFormat } from 'openai/resources';
import { describe, expect, it } from 'vitest';
import { openAiOf } from './official-clients.ts';
import { wavOf } from './wav.ts';

const client = () => openAiOf(gateway);

const gateway = withGateway();

/** Reads from the access log what the newest request consumed. */
function consumed(route: string): Record<string, unknown> {
  return gateway.logLines(`"route":"${route}"`).at(-1) ?? {};
}

async function post(path: string, body: object) {
  const { body: text, ...answer } = await gateway.ask(path, body);
  return { ...answer, text };
}

describe('embeddings', () => {
  it('the official client turns base64 embeddings into numbers', async () => {
    const result = await client().embeddings.create({ model: 'sim/embed-free', input: ['one', 'two'] });
    expect(result.model).toBe('sim/embed-free');
    expect(result.data).toHaveLength(2);
    expect(result.data[0]?.embedding).toHaveLength(256);
    const [sent] = gateway.provider.requests;
    expect(sent?.body).toMatchObject({ model: 'sim-embed-free', encoding_format: 'base64' });
    expect(consumed('/v1/embeddings')).toMatchObject({
      input_tokens: result.usage.prompt_tokens,
      usage_source: 'provider',
    });
  });

  it.each([
    ['a text', 'hi', 200],
    ['tokens', [1, 2, 3], 200],
    ['lists of tokens', [[1, 2], [3]], 200],
    ['nothing', '', 400],
    ['an empty list', [], 400],
    ['an empty text in a list', ['a', ''], 400],
    ['too many', Array.from({ length: 2_049 }, () => 'x'), 400],
    ['a mixture', ['a', 1], 400],
    ['half a token', [1.5], 400],
  ])('embeddings of %s are served or refused by the shape of the input', async (_name, input, status) => {
    const answer = await post('embeddings', { model: 'sim/embed-free', input, notre: { a: 1 } });
    expect(answer.status).toBe(status);
    if (status === 400) expect(JSON.parse(answer.text).error).toMatchObject({ param: 'input' });
  });

  it('embeddings without usage are counted by the gateway and marked as estimated', async () => {
    const simulate = { usage: 'missing' };
    await post('embeddings', { model: 'sim/embed-free', input: 'twelve bytes', simulate });
    expect(consumed('/v1/embeddings')).toMatchObject({ input_tokens: 3, usage_source: 'estimated' });
  });
});

describe('reranking', () => {
  const request = {
    model: 'sim/rerank-free',
    query: 'red fruit',
    documents: ['a blue car', 'a red fruit', { text: 'fruit' }],
  };

  it('rerank returns the best document first, with texts only on request', async () => {
    const plain = JSON.parse((await post('rerank', request)).text);
    expect(plain).toMatchObject({ model: 'sim/rerank-free', usage: { search_units: 1 } });
    expect(plain.results[0]).toEqual({ index: 1, relevance_score: expect.any(Number) });
    const scores = plain.results.map((result: { relevance_score: number }) => result.relevance_score);
    expect(scores).toEqual([...scores].sort((left, right) => right - left));
    const full = JSON.parse((await post('rerank', { ...request, return_documents: true })).text);
    expect(full.results[0].document).toEqual({ text: 'a red fruit' });
    expect(consumed('/v1/rerank')).toMatchObject({ search_units: 1, usage_source: 'provider' });
  });

  it('rerank without usage is metered by its documents', async () => {
    const documents = Array.from({ length: 101 }, (_, index) => `document ${index}`);
    await post('rerank', { ...request, documents, simulate: { usage: 'missing' } });
    expect(consumed('/v1/rerank')).toMatchObject({ search_units: 2, usage_source: 'gateway' });
  });

  it('rerank takes 1 to 1000 documents', async () => {
    for (const count of [0, 1_001]) {
      const documents = Array.from({ length: count }, () => 'x');
      const answer = await post('rerank', { ...request, documents });
      expect(answer.status).toBe(400);
    }
  });
});

describe('images', () => {
  it('images are metered by the number that came', async () => {
    const result = await client().images.generate({ model: 'sim/image-free', prompt: 'a red square', n: 2 });
    expect(result.data).toHaveLength(2);
    expect(result.usage?.output_tokens).toBeGreaterThan(0);
    expect(consumed('/v1/images/generations')).toMatchObject({ images: 2, usage_source: 'gateway' });
  });

  it('streamed images end with a completed event', async () => {
    const stream = await client().images.generate({
      model: 'sim/image-free',
      prompt: 'a red square',
      stream: true,
      partial_images: 2,
    });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual([
      'image_generation.partial_image',
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
    expect(consumed('/v1/images/generations')).toMatchObject({ images: 1, streamed: true });
  });

  it("a stream of images that breaks off breaks the client's connection", async () => {
    const simulate = { truncate: { after_events: 2 } };
    const request = { model: 'sim/image-free', prompt: 'x', stream: true, partial_images: 3, simulate };
    expect((await post('images/generations', request)).isBroken).toBe(true);
  });
});

describe('speech', () => {
  it.each([
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
    ['pcm', 'audio/pcm'],
  ] as const)('speech comes as %s', async (format, contentType) => {
    const response = await client().audio.speech.create({
      model: 'sim/speech-free',
      voice: 'alloy',
      input: 'Hello 👋',
      response_format: format,
    });
    expect(response.headers.get('content-type')).toBe(contentType);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
    expect(consumed('/v1/audio/speech')).toMatchObject({ characters: 7, usage_source: 'gateway' });
  });

  it('speech comes as events', async () => {
    const answer = await post('audio/speech', {
      model: 'sim/speech-free',
      voice: { id: 'v' },
      input: 'Hello',
      stream_format: 'sse',
    });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(answer.text).toMatch(/event: speech\.audio\.delta\n/);
    expect(answer.text).toMatch(/event: speech\.audio\.done\ndata: .*\n\n$/);
  });

  it.each([
    ['no input', { input: '' }, 'input'],
    ['4,097 characters', { input: '👋'.repeat(4_097) }, 'input'],
    ['no voice', { voice: undefined }, 'voice'],
    ['a speed of 5', { speed: 5 }, 'speed'],
  ])('speech with %s is refused', async (_name, change, param) => {
    const answer = await post('audio/speech', {
      model: 'sim/speech-free',
      voice: 'a',
      input: 'b',
      ...change,
    });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.text).error).toMatchObject({ param });
  });

  it('speech that breaks off closes the connection, as bytes cannot carry an error', async () => {
    const answer = await post('audio/speech', {
      ...{ model: 'sim/speech-free', voice: 'a', input: 'word '.repeat(500), response_format: 'wav' },
      simulate: { truncate: { after_events: 3 } },
    });
    expect(answer.isBroken).toBe(true);
  });
});

describe('transcription', () => {
  it('a WAV file is transcribed in every format', async () => {
    const transcribed = async (response_format: AudioResponseFormat) => {
      const file = await toFile(wavOf(2.5), 'speech.wav', { type: 'audio/wav' });
      return client().audio.transcriptions.create({ model: 'sim/transcribe-free', file, response_format });
    };
    for (const [response_format, shape, usage_source] of [
      ['json', /"text":"\w+/, 'provider'],
      ['verbose_json', /"text":"\w+/, 'provider'],
      ['diarized_json', /"speaker":"A","text":"\w+/, 'provider'],
      // Plain text has no room for a count: the container is measured here.
      ['text', /^"\w+/, 'gateway'],
      ['srt', /^"1\\n00:00:00,000 --> /, 'gateway'],
      ['vtt', /^"WEBVTT\\n/, 'gateway'],
    ] as const) {
      expect(JSON.stringify(await transcribed(response_format))).toMatch(shape);
      expect(consumed('/v1/audio/transcriptions')).toMatchObject({ audio_ms: 2_500, usage_source });
    }
  });

  it('a streamed transcription comes as its events', async () => {
    const file = await toFile(wavOf(1), 'speech.wav', { type: 'audio/wav' });
    const stream = await client().audio.transcriptions.create({
      model: 'sim/transcribe-free',
      file,
      stream: true,
    });
    const types = new Set<string>();
    for await (const event of stream) types.add(event.type);
    expect([...types]).toEqual(['transcript.text.delta', 'transcript.text.done']);
  });

  it('a file in JSON is transcribed', async () => {
    const answer = await post('audio/transcriptions', {
      model: 'sim/transcribe-free',
      file: { data: wavOf(1).toString('base64'), filename: 'speech.wav', mime_type: 'audio/wav' },
      response_format: 'text',
      notre: 1,
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(consumed('/v1/audio/transcriptions')).toMatchObject({ audio_ms: 1_000 });
  });

  it('a transcription by speakers from JSON sends each known speaker as a field', async () => {
    const answer = await post('audio/transcriptions', {
      model: 'sim/transcribe-free',
      file: { data: wavOf(2).toString('base64'), filename: 'speech.wav', mime_type: 'audio/wav' },
      response_format: 'diarized_json',
      known_speaker_names: ['Ada', 'Grace'],
    });
    expect(JSON.parse(answer.text)).toMatchObject({ task: 'transcribe', segments: [{ speaker: 'A' }] });
    expect(consumed('/v1/audio/transcriptions')).toMatchObject({ audio_ms: 2_000 });
    const sent = gateway.provider.requests.at(-1)?.bodyText ?? '';
    expect(sent.match(/name="known_speaker_names\[\]"\r\n\r\n\w+/g)).toHaveLength(2);
  });

  it('a transcription with a model of another capability, or an unknown one, is refused', async () => {
    const file = await toFile(wavOf(1), 'speech.wav');
    await expect(
      client().audio.transcriptions.create({ model: 'sim/chat-free', file }),
    ).rejects.toMatchObject({
      status: 400,
      code: 'wrong_endpoint',
    });
    await expect(client().audio.transcriptions.create({ model: 'sim/nope', file })).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
    });
  });
});

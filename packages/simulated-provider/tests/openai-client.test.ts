import OpenAI, { toFile } from 'openai';
import { describe, expect, it } from 'vitest';
import { encodeWav } from '../src/audio/wav.ts';
import type { Fault } from '../src/index.ts';
import { collect } from './read-events.ts';
import { API_KEY, testProvider } from './test-provider.ts';

const provider = await testProvider();
const client = new OpenAI({ apiKey: API_KEY, baseURL: provider.baseUrl, maxRetries: 0 });

const question = {
  model: 'sim-chat-free',
  messages: [{ role: 'user' as const, content: 'Why is the sky blue?' }],
};
const weatherTool = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
/** The client sends fields that it does not know. */
const simulate = (fault: Fault): object => ({ simulate: fault });

describe('a chat completion', () => {
  it('is the same for the same request, with its tokens counted', async () => {
    const first = await client.chat.completions.create(question);
    const second = await client.chat.completions.create(question);
    const text = first.choices[0]?.message.content;
    expect(text).toMatch(/sky blue/);
    expect(second.choices[0]?.message.content).toBe(text);
    expect(first).toMatchObject({
      object: 'chat.completion',
      model: 'sim-chat-free',
      choices: [{ finish_reason: 'stop' }],
    });
    expect(first.usage).toMatchObject({ prompt_tokens: 13, prompt_tokens_details: { cached_tokens: 0 } });
    expect(first.usage?.total_tokens).toBe(13 + (first.usage?.completion_tokens ?? 0));
  });

  it('streams the same text, a chunk per token, without usage by default', async () => {
    const whole = await client.chat.completions.create(question);
    const chunks = await collect(await client.chat.completions.create({ ...question, stream: true }));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0]?.message.content,
    );
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks).toHaveLength((whole.usage?.completion_tokens ?? 0) + 2);
    expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false);
  });

  it('streams usage in a chunk of its own if requested, and null before it', async () => {
    const streamed = await client.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await collect(streamed);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 13 } });
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null)).toBe(true);
  });

  it('stops at max_tokens, and has n different choices', async () => {
    const cut = await client.chat.completions.create({ ...question, max_completion_tokens: 5 });
    expect(cut.choices[0]?.finish_reason).toBe('length');
    expect(cut.usage?.completion_tokens).toBe(5);
    const several = await client.chat.completions.create({ ...question, n: 3 });
    expect(new Set(several.choices.map((choice) => choice.message.content)).size).toBeGreaterThan(1);
    const streamed = await collect(
      await client.chat.completions.create({ ...question, n: 2, max_tokens: 1, stream: true }),
    );
    expect(streamed.map((chunk) => chunk.choices[0]?.index)).toEqual([0, 0, 0, 1, 1, 1]);
  });

  it('calls a tool if tool_choice requires it, whole and streamed, and not if it only allows it', async () => {
    const asked = {
      ...question,
      messages: [{ role: 'user' as const, content: 'Weather in Oslo?' }],
      tools: [weatherTool],
    };
    const called = await client.chat.completions.create({ ...asked, tool_choice: 'required' });
    expect(called.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } });
    const call = called.choices[0]?.message.tool_calls?.[0];
    const args = call?.type === 'function' ? call.function.arguments : '';
    expect(JSON.parse(args)).toEqual({ city: expect.stringMatching(/^(Weather|Oslo)$/) });

    const named = { type: 'function' as const, function: { name: 'get_weather' } };
    const chunks = await collect(
      await client.chat.completions.create({ ...asked, tool_choice: named, stream: true }),
    );
    const streamed = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    expect(streamed[0]?.function?.name).toBe('get_weather');
    expect(streamed.map((delta) => delta.function?.arguments ?? '').join('')).toBe(args);

    const free = await client.chat.completions.create({ ...asked, tool_choice: 'auto' });
    expect(free.choices[0]?.message.content).toMatch(/Oslo/);
  });

  it('is JSON if response_format asks for it', async () => {
    const object = await client.chat.completions.create({
      ...question,
      response_format: { type: 'json_object' },
    });
    expect(JSON.parse(object.choices[0]?.message.content ?? '')).toMatchObject({ topic: 'the sky blue' });
    const schema = { type: 'object', properties: { colour: { type: 'string', enum: ['blue'] } } };
    const shaped = await client.chat.completions.create({
      ...question,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    });
    expect(shaped.choices[0]?.message.content).toBe('{"colour":"blue"}');
  });

  it('accepts special tokens as plain text, content parts and tool messages', async () => {
    const answer = await client.chat.completions.create({
      model: 'sim-chat-pro',
      messages: [
        { role: 'system', content: 'Be brief. <|endoftext|>' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Weather in Oslo?' },
            { type: 'image_url', image_url: { url: 'http://x/' } },
          ],
        },
        {
          role: 'assistant',
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: '3 degrees, snow' },
      ],
    });
    expect(answer.choices[0]?.message.content).toContain('3 degrees, snow');
  });

  it('has the text and the cached tokens that knobs set', async () => {
    const knobs = { content: 'Exactly this.', cached_tokens: 7 };
    const answer = await client.chat.completions.create({ ...question, ...simulate(knobs) });
    expect(answer.choices[0]?.message.content).toBe('Exactly this.');
    expect(answer.usage?.prompt_tokens_details?.cached_tokens).toBe(7);
  });
});

describe('the other endpoints', () => {
  it('embed texts and tokens, as floats or base64, similar texts closer', async () => {
    const input = ['a cat on a mat', 'the cat is on the mat', 'annual tax report'];
    const { data, usage } = await client.embeddings.create({
      model: 'sim-embed-free',
      input,
      encoding_format: 'float',
    });
    const cosine = (other: number) =>
      data[0]?.embedding.reduce(
        (sum, value, index) => sum + value * (data[other]?.embedding[index] ?? 0),
        0,
      ) ?? 0;
    expect(cosine(0)).toBeCloseTo(1, 4);
    expect(cosine(1)).toBeGreaterThan(cosine(2));
    expect(usage).toEqual({ prompt_tokens: 14, total_tokens: 14 });
    // The client asks for base64 by itself and decodes it.
    const same = await client.embeddings.create({ model: 'sim-embed-free', input: input[0] ?? '' });
    expect(same.data[0]?.embedding[0]).toBeCloseTo(data[0]?.embedding[0] ?? NaN, 5);
    const tokens = await client.embeddings.create({
      model: 'sim-embed-pro',
      input: [[1, 2, 3], [4]],
      dimensions: 8,
    });
    expect(tokens.data.map(({ embedding }) => embedding.length)).toEqual([8, 8]);
    expect(tokens.usage.prompt_tokens).toBe(4);
  });

  it('rerank documents, best first', async () => {
    const body = {
      model: 'sim-rerank-free',
      query: 'capital of France',
      documents: [
        'Bananas are yellow.',
        { text: 'Paris is the capital of France.' },
        'France has many rivers.',
      ],
      top_n: 2,
      return_documents: true,
    };
    expect(await client.post('/rerank', { body })).toMatchObject({
      results: [{ index: 1, document: { text: 'Paris is the capital of France.' } }, { index: 2 }],
      meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
    });
  });

  it('draw images, as base64, as a data: URL and as events', async () => {
    const request = { model: 'sim-image-free', prompt: 'a lighthouse' };
    const plain = await client.images.generate({ ...request, n: 2, response_format: 'b64_json' });
    expect(plain.data).toHaveLength(2);
    expect(Buffer.from(plain.data?.[0]?.b64_json ?? '', 'base64').toString('latin1', 1, 4)).toBe('PNG');
    expect(plain.usage?.output_tokens).toBe(2 * 1_056);
    const linked = await client.images.generate(request);
    expect(linked.data?.[0]?.url).toBe(`data:image/png;base64,${plain.data?.[0]?.b64_json}`);
    const events = await collect(
      await client.images.generate({ ...request, stream: true, partial_images: 1 }),
    );
    expect(events.map(({ type }) => type)).toEqual([
      'image_generation.partial_image',
      'image_generation.completed',
    ]);
  });

  it('edit images, counting each picture, whole and as events', async () => {
    const file = () => toFile(Buffer.from('a picture'), 'a.png', { type: 'image/png' });
    const request = { model: 'sim-image-free', prompt: 'a lighthouse' };
    const image = [await file(), await file()];
    const { data, usage } = await client.images.edit({ ...request, image, mask: await file(), n: 2 });
    expect(data).toHaveLength(2);
    expect(usage?.input_tokens_details.image_tokens).toBe(3 * 194);
    const events = await collect(
      await client.images.edit({ ...request, image: await file(), stream: true, partial_images: 1 }),
    );
    expect(events.map(({ type }) => type)).toEqual(['image_edit.partial_image', 'image_edit.completed']);
    await expect(client.images.edit({ ...request, image: [] })).rejects.toMatchObject({ param: 'image' });
  });

  it.each([
    ['mp3', 'audio/mpeg'],
    ['opus', 'audio/ogg; codecs=opus'],
    ['aac', 'audio/aac'],
    ['flac', 'audio/flac'],
    ['wav', 'audio/wav'],
    ['pcm', 'audio/pcm'],
  ] as const)('speak in %s', async (format, contentType) => {
    const request = {
      model: 'sim-speech-free',
      voice: 'alloy',
      input: 'Hello there.',
      response_format: format,
    };
    const response = await client.audio.speech.create(request);
    expect(response.headers.get('content-type')).toBe(contentType);
    const audio = await response.bytes();
    expect(audio.length).toBeGreaterThan(20);
    const events = await client.audio.speech.create({ ...request, stream_format: 'sse' });
    const lines = (await events.text()).split('\n').filter((line) => line.startsWith('data: '));
    const parts: { type: string; audio?: string; usage?: object }[] = lines.map((line) =>
      JSON.parse(line.slice(6)),
    );
    expect(Buffer.concat(parts.map((part) => Buffer.from(part.audio ?? '', 'base64')))).toEqual(
      Buffer.from(audio),
    );
    expect(parts.at(-1)).toMatchObject({ type: 'speech.audio.done', usage: { input_tokens: 3 } });
  });

  it('transcribe a recording in every format, billed by its duration', async () => {
    const file = () =>
      toFile(encodeWav(Buffer.alloc(2 * 8_000 * 3), 8_000), 'speech.wav', { type: 'audio/wav' });
    const model = 'sim-transcribe-free';
    const usage = { type: 'duration', seconds: 3 };
    const { text } = await client.audio.transcriptions.create({ file: await file(), model });
    expect(await client.audio.transcriptions.create({ file: await file(), model })).toEqual({ text, usage });
    const verbose = await client.audio.transcriptions.create({
      file: await file(),
      model,
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    });
    expect(verbose).toMatchObject({ duration: 3, text, usage });
    expect(verbose.words?.length).toBeGreaterThan(3);
    expect(
      await client.audio.transcriptions.create({ file: await file(), model, response_format: 'text' }),
    ).toBe(`${text}\n`);
    const srt = await client.audio.transcriptions.create({
      file: await file(),
      model,
      response_format: 'srt',
    });
    expect(srt).toMatch(/^1\n00:00:00,000 --> /);
    const events = await collect(
      await client.audio.transcriptions.create({ file: await file(), model, stream: true }),
    );
    expect(events.at(-1)).toEqual({ type: 'transcript.text.done', text, usage });
    expect(events.map((event) => (event.type === 'transcript.text.delta' ? event.delta : '')).join('')).toBe(
      text,
    );
    expect(provider.requests[0]?.body).toMatchObject({
      model,
      file: { filename: 'speech.wav', bytes: 48_044 },
    });
  });

  it('list the models, two per capability and one for Responses', async () => {
    const models = await collect(client.models.list());
    expect(models).toHaveLength(17);
    expect(await client.models.retrieve('sim-chat-pro')).toMatchObject({
      id: 'sim-chat-pro',
      object: 'model',
    });
  });
});

describe('an error in the format of OpenAI', () => {
  it('refuses a missing or wrong key', async () => {
    const stranger = new OpenAI({ apiKey: 'sk-other', baseURL: provider.baseUrl, maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect((await fetch(`${provider.baseUrl}/models`)).status).toBe(401);
  });

  it('refuses an unknown model, one with another capability, and an unknown route', async () => {
    const unknown = client.chat.completions.create({ ...question, model: 'sim-nothing' });
    await expect(unknown).rejects.toMatchObject({
      status: 404,
      code: 'model_not_found',
      type: 'invalid_request_error',
    });
    const other = client.chat.completions.create({ ...question, model: 'sim-embed-free' });
    await expect(other).rejects.toMatchObject({ status: 404, param: 'model' });
    await expect(client.models.retrieve('nothing')).rejects.toMatchObject({ status: 404 });
    await expect(client.get('/nothing')).rejects.toMatchObject({ status: 404 });
  });

  it('refuses a field of the gateway, an invalid field, and an unknown knob', async () => {
    await expect(client.chat.completions.create({ ...question, ...{ notre: null } })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('notre'),
    });
    await expect(client.chat.completions.create({ ...question, messages: [] })).rejects.toMatchObject({
      status: 400,
      param: 'messages',
    });
    const misspelt = { simulate: { stauts: 500 } };
    await expect(client.chat.completions.create({ ...question, ...misspelt })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('stauts'),
    });
  });

  it('refuses a body that is no JSON, and one that is no form where a form is required', async () => {
    const post = async (path: string, body: string, type: string) => {
      const headers = { authorization: `Bearer ${API_KEY}`, 'content-type': type };
      return (await fetch(`${provider.baseUrl}${path}`, { method: 'POST', headers, body })).status;
    };
    expect(await post('/chat/completions', '{"model":', 'application/json')).toBe(400);
    expect(await post('/audio/transcriptions', '{}', 'application/json')).toBe(400);
    expect(await post('/audio/transcriptions', 'x', 'multipart/form-data')).toBe(400);
  });
});

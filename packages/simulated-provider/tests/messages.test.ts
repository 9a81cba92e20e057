import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BASH_TOOL, messagesClient, QUESTION, TIME_TOOL, WEATHER_TOOL } from './messages-client.ts';
import { namedEvents } from './read-events.ts';
import { API_KEY, sendChat, testProvider } from './test-provider.ts';

const provider = await testProvider();
const send = messagesClient(provider);

const block = z.looseObject({ type: z.string() });
const message = z.looseObject({
  content: z.array(block),
  stop_reason: z.string().nullable(),
  usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
});

async function ask(body: object, headers: Record<string, string> = {}) {
  const response = await send(body, { headers });
  const answer: unknown = await response.json();
  expect(answer).not.toHaveProperty('error');
  return message.parse(answer);
}

const streamed = async (body: object) => namedEvents(await (await send({ ...body, stream: true })).text());
const thinking = { type: 'enabled', budget_tokens: 1024 };
const thoughtful = { ...QUESTION, thinking, max_tokens: 2048 };

describe('a message', () => {
  it('has the text of the chat completion of the same conversation', async () => {
    const answer = await ask({ ...QUESTION, system: 'Be brief.' });
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      type: 'message',
      role: 'assistant',
      model: 'sim-claude-free',
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, service_tier: 'standard' },
    });
    const messages = [{ role: 'system', content: 'Be brief.' }, ...QUESTION.messages];
    const completion = await sendChat(provider, { messages });
    expect(await completion.json()).toMatchObject({
      choices: [{ message: { content: answer.content[0]?.text } }],
      usage: { completion_tokens: answer.usage.output_tokens },
    });
  });

  it('ends at max_tokens or before a stop sequence, with the reason', async () => {
    const cut = await ask({ ...QUESTION, max_tokens: 5 });
    expect([cut.stop_reason, cut.usage.output_tokens]).toEqual(['max_tokens', 5]);
    const stopped = await ask({
      ...QUESTION,
      simulate: { content: 'one two three' },
      stop_sequences: ['th', 'two'],
    });
    expect(stopped).toMatchObject({
      content: [{ type: 'text', text: 'one ' }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'two',
    });
  });

  it('is JSON when a schema is given', async () => {
    const schema = {
      type: 'object',
      properties: { colour: { type: 'string', enum: ['blue'] } },
      additionalProperties: false,
    };
    const { content } = await ask({
      ...QUESTION,
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(content).toEqual([{ type: 'text', text: '{"colour":"blue"}' }]);
  });

  it('has the stop reason and the web searches that knobs set', async () => {
    const answer = await ask({ ...QUESTION, simulate: { stop_reason: 'refusal', web_searches: 2 } });
    expect(answer).toMatchObject({
      stop_reason: 'refusal',
      usage: { server_tool_use: { web_search_requests: 2 } },
    });
  });
});

describe('thinking', () => {
  it('comes first, is signed, counts as output, and may be sent back', async () => {
    const answer = await ask(thoughtful);
    expect(answer.content.map(({ type }) => type)).toEqual(['thinking', 'text']);
    expect(answer.content[0]).toMatchObject({ thinking: expect.stringContaining('the sky blue') });
    const { output_tokens_details: details } = answer.usage;
    expect(details).toEqual({ thinking_tokens: expect.any(Number) });
    const next = [...QUESTION.messages, { role: 'assistant', content: answer.content }, ...QUESTION.messages];
    expect((await ask({ ...thoughtful, messages: next })).stop_reason).toBe('end_turn');
  });

  it('that the client sends back changed is refused, whether shown, omitted or redacted', async () => {
    const knobs = [
      {},
      { thinking: { ...thinking, display: 'omitted' } },
      { simulate: { redacted_thinking: true } },
    ];
    for (const knob of knobs) {
      const [thought, text] = (await ask({ ...thoughtful, ...knob })).content;
      const again = (changed: object) =>
        send({
          ...thoughtful,
          messages: [
            ...QUESTION.messages,
            { role: 'assistant', content: [changed, text] },
            ...QUESTION.messages,
          ],
        });
      expect((await again({ ...thought })).status).toBe(200);
      for (const [name, value] of Object.entries(thought ?? {})) {
        if (name === 'type') continue;
        const refused = await again({ ...thought, [name]: `${value}x` });
        expect(refused.status).toBe(400);
        expect(await refused.text()).toMatch(/messages\.1\.content\.0: Invalid `(signature|data)` in/);
      }
    }
  });

  it('with the display omitted has a signature and no text', async () => {
    const { content } = await ask({ ...thoughtful, thinking: { ...thinking, display: 'omitted' } });
    expect(content[0]).toEqual({ type: 'thinking', thinking: '', signature: expect.stringMatching(/.{40}/) });
  });
});

describe('tools', () => {
  const weather = { messages: [{ role: 'user', content: 'Weather in Oslo?' }], tools: [WEATHER_TOOL] };

  it('are called if tool_choice requires it, and not if it only allows it', async () => {
    for (const choice of [{ type: 'any' }, { type: 'tool', name: 'get_weather' }]) {
      expect(await ask({ ...weather, tool_choice: choice })).toMatchObject({
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'get_weather' }],
      });
    }
    for (const choice of [{ type: 'auto' }, { type: 'none' }]) {
      expect((await ask({ ...weather, tool_choice: choice })).stop_reason).toBe('end_turn');
    }
  });

  it('are called together if the question names them and parallel calls are on', async () => {
    const both = {
      messages: [{ role: 'user', content: 'Use get_weather and get_time for Oslo.' }],
      tools: [TIME_TOOL, WEATHER_TOOL],
    };
    const names = async (choice: object) =>
      (await ask({ ...both, tool_choice: { type: 'any', ...choice } })).content.map(({ name }) => name);
    expect(await names({})).toEqual(['get_time', 'get_weather']);
    expect(await names({ disable_parallel_tool_use: true })).toEqual(['get_time']);
  });

  it('are called as the text says, and the model answers after their results', async () => {
    const asked = { role: 'user', content: 'Make it so. run: echo hi > out.txt' };
    const first = await ask({ messages: [asked], tools: [BASH_TOOL], thinking, max_tokens: 2048 });
    expect(first.stop_reason).toBe('tool_use');
    expect(first.content).toMatchObject([
      { type: 'thinking' },
      { type: 'text' },
      { type: 'tool_use', name: 'Bash', input: { command: 'echo hi > out.txt' } },
    ]);
    const result = { type: 'tool_result', tool_use_id: first.content[2]?.id, content: 'it worked' };
    const reminder = { type: 'text', text: '<system-reminder>Be careful.</system-reminder>' };
    const messages = [
      asked,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result, reminder] },
    ];
    const second = await ask({ messages, tools: [BASH_TOOL] });
    expect(second).toMatchObject({
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: expect.stringContaining('it worked') }],
    });
  });

  it('in Chat Completions are called by the same rule', async () => {
    const tool = { type: 'function', function: { name: 'Bash', parameters: BASH_TOOL.input_schema } };
    const messages = [{ role: 'user', content: 'run: date\nalso run: ls' }];
    const completion = await sendChat(provider, { messages, tools: [tool], stream: true });
    const text = await completion.text();
    expect(text).toContain('"finish_reason":"tool_calls"');
    expect(text.match(/"tool_calls":\[\{"index":[01],"id":"call_\w+"/g)).toHaveLength(2);
  });
});

describe('pictures and documents', () => {
  it('are accepted and counted', async () => {
    const png = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
    const pdf = {
      type: 'base64',
      media_type: 'application/pdf',
      data: Buffer.from('%PDF-1.4 /Type /Page /Type /Page').toString('base64'),
    };
    const parts = [
      { type: 'image', source: png },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: pdf, title: 'Two pages' },
    ];
    const text = { type: 'text', text: 'Why is the sky blue?' };
    const plain = await ask({ messages: [{ role: 'user', content: [text] }] });
    const full = await ask({ messages: [{ role: 'user', content: [...parts, text] }] });
    expect(full.usage.input_tokens - plain.usage.input_tokens).toBe(2 * 1_400 + 2 * 2_000);
    expect(full.content[0]?.type).toBe('text');
  });
});

describe('the cache', () => {
  const marked = (ttl?: '5m' | '1h') => ({ type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) });
  const turn = (text: string, mark?: object) => ({
    role: 'user',
    content: [{ type: 'text', text, ...(mark === undefined ? {} : { cache_control: mark }) }],
  });

  it('is written by a marked prompt and read by the next prompt with the same beginning', async () => {
    const system = [{ type: 'text', text: 'You know the sky.', cache_control: marked('1h') }];
    const body = (question: string) => ({ system, messages: [turn(question, marked())] });
    const first = (await ask(body('Why is the sky blue?'))).usage;
    expect(first).toMatchObject({
      input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_1h_input_tokens: 5, ephemeral_5m_input_tokens: 9 },
      cache_creation_input_tokens: 14,
    });
    expect((await ask(body('Why is the sky blue?'))).usage).toMatchObject({
      input_tokens: 0,
      cache_read_input_tokens: 14,
      cache_creation_input_tokens: 0,
    });
    expect((await ask(body('Why is the sea blue?'))).usage).toMatchObject({
      cache_read_input_tokens: 5,
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 9 },
    });
    const unmarked = await ask({ system, messages: [turn('Why is the sea blue?')] });
    expect(unmarked.usage).toMatchObject({ input_tokens: 9, cache_read_input_tokens: 5 });
  });

  it('differs between models, and a knob simulates reads from it', async () => {
    const body = { messages: [turn('Why is the sky blue?', marked())] };
    await ask(body);
    const other = await ask({ ...body, model: 'sim-claude-pro' });
    expect(other.usage).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 9 });
    const simulated = await ask({ ...QUESTION, simulate: { cached_tokens: 4 } });
    expect(simulated.usage).toMatchObject({ input_tokens: 5, cache_read_input_tokens: 4 });
  });
});

describe('a stream', () => {
  it('has the content of the whole message block by block, with usage at both ends', async () => {
    const body = {
      messages: [{ role: 'user', content: 'Look. run: echo "a\\nb"' }],
      tools: [BASH_TOOL],
      thinking,
      max_tokens: 2048,
    };
    const whole = await ask(body);
    const events = await streamed(body);
    expect(events[0]).toMatchObject({
      type: 'message_start',
      message: {
        content: [],
        stop_reason: null,
        usage: { input_tokens: whole.usage.input_tokens, output_tokens: 1, cache_creation: {} },
      },
    });
    expect(events.slice(0, 4).map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
    ]);
    expect(events.slice(-2)).toMatchObject([
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { input_tokens: whole.usage.input_tokens, output_tokens: whole.usage.output_tokens },
      },
      { type: 'message_stop' },
    ]);
    const starts = events.filter(({ type }) => type === 'content_block_start');
    expect(starts).toMatchObject([
      { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      { index: 1, content_block: { type: 'text', text: '' } },
      { index: 2, content_block: { type: 'tool_use', name: 'Bash', input: {} } },
    ]);
    const deltas = events.filter(({ type }) => type === 'content_block_delta');
    const joined = (index: number, member: string) =>
      deltas
        .filter((event) => event.index === index)
        .map(({ delta }) => z.looseObject({ [member]: z.string().default('') }).parse(delta)[member])
        .join('');
    expect(joined(0, 'thinking')).toBe(whole.content[0]?.thinking);
    expect(joined(0, 'signature')).toBe(whole.content[0]?.signature);
    expect(joined(1, 'text')).toBe(whole.content[1]?.text);
    expect(JSON.parse(joined(2, 'partial_json'))).toEqual(whole.content[2]?.input);
    expect(deltas.filter(({ index }) => index === 2).length).toBeGreaterThan(3);
    const order = events.filter(({ index }) => index !== undefined).map(({ index }) => Number(index));
    expect(order).toEqual([...order].sort());
  });

  it('has pings between its deltas', async () => {
    const events = await streamed({ ...QUESTION, simulate: { content: 'word '.repeat(100) } });
    expect(events.filter(({ type }) => type === 'ping').length).toBeGreaterThan(3);
  });
});

describe('the tokens of a prompt', () => {
  it('are counted as a message reports them, cached or not', async () => {
    const body = { system: 'Be brief.', ...QUESTION, tools: [WEATHER_TOOL] };
    const { usage } = await ask({ ...body, cache_control: { type: 'ephemeral' } });
    expect(usage.input_tokens).toBe(0);
    const counted = await send({ ...body, max_tokens: undefined }, { path: '/messages/count_tokens' });
    expect(await counted.json()).toEqual({ input_tokens: usage.cache_creation_input_tokens });
  });
});

describe('the models', () => {
  const get = (path: string) =>
    fetch(`${provider.baseUrl}${path}`, {
      headers: { 'x-api-key': API_KEY, 'anthropic-version': '2023-06-01' },
    });

  it('are listed in pages', async () => {
    const first: unknown = await (await get('/models?limit=1')).json();
    expect(first).toEqual({
      data: [
        {
          type: 'model',
          id: 'sim-claude-pro',
          display_name: 'Simulated Claude Pro',
          created_at: '2025-01-01T00:00:00Z',
        },
      ],
      has_more: true,
      first_id: 'sim-claude-pro',
      last_id: 'sim-claude-pro',
    });
    const after = await get('/models?limit=1&after_id=sim-claude-pro');
    expect(await after.json()).toMatchObject({ has_more: false, last_id: 'sim-claude-free' });
    const before = await get('/models?before_id=sim-claude-free');
    expect(await before.json()).toMatchObject({ has_more: false, last_id: 'sim-claude-pro' });
    expect(await (await get('/models/sim-claude-free')).json()).toMatchObject({ id: 'sim-claude-free' });
    expect((await get('/models/sim-chat-free')).status).toBe(404);
    expect((await get('/models?limit=0')).status).toBe(400);
  });
});

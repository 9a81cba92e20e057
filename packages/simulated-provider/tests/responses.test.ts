import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { namedEvents } from './read-events.ts';
import {
  AGENTS_TOOL,
  COMMAND_TOOL,
  PATCH_TOOL,
  QUESTION,
  responsesClient,
  TIME_TOOL,
  user,
  WEATHER_TOOL,
} from './responses-client.ts';
import { sendChat, testProvider } from './test-provider.ts';

const provider = await testProvider();
const send = responsesClient(provider);

const item = z.looseObject({ id: z.string(), type: z.string(), call_id: z.string().optional() });
const response = z.looseObject({
  id: z.string(),
  status: z.string(),
  output: z.array(item),
  usage: z.looseObject({ input_tokens: z.number(), output_tokens: z.number() }),
});

async function ask(body: object) {
  const answer: unknown = await (await send(body)).json();
  expect(answer).toMatchObject({ error: null });
  return response.parse(answer);
}

const streamed = async (body: object) => namedEvents(await (await send({ ...body, stream: true })).text());
const outputText = (text: unknown) => [{ type: 'output_text', text, annotations: [], logprobs: [] }];

describe('a response', () => {
  it('has the text and token counts of the chat completion of the same conversation', async () => {
    const answer = await ask({ ...QUESTION, instructions: 'Be brief.' });
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: QUESTION.input },
    ];
    const completion = await sendChat(provider, { messages });
    const { choices, usage } = z
      .object({
        choices: z.array(z.object({ message: z.object({ content: z.string() }) })),
        usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }),
      })
      .parse(await completion.json());
    expect(answer.output).toMatchObject([
      {
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: outputText(choices[0]?.message.content),
      },
    ]);
    expect(answer.usage).toEqual({
      input_tokens: usage.prompt_tokens,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: usage.completion_tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.prompt_tokens + usage.completion_tokens,
    });
  });

  it('repeats members of the request, and has defaults for the others', async () => {
    const asked = {
      instructions: 'Be brief.',
      max_output_tokens: 500,
      metadata: { team: 'a' },
      parallel_tool_calls: false,
      temperature: 0.5,
      tools: [WEATHER_TOOL],
      prompt_cache_key: 'k',
      store: false,
    };
    expect(await ask({ ...QUESTION, ...asked })).toMatchObject({
      ...asked,
      tools: [{ ...WEATHER_TOOL, description: null, strict: true }],
      object: 'response',
      model: 'sim-chat-free',
      background: false,
      incomplete_details: null,
      previous_response_id: null,
      reasoning: { effort: null, summary: null },
      service_tier: 'default',
      text: { format: { type: 'text' }, verbosity: 'medium' },
      tool_choice: 'auto',
      truncation: 'disabled',
    });
  });

  it('that is cut at max_output_tokens is incomplete, with the reason', async () => {
    const cut = await ask({ ...QUESTION, max_output_tokens: 16 });
    expect(cut).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      completed_at: null,
      output: [{ type: 'message', status: 'incomplete' }],
      usage: { output_tokens: 16 },
    });
    const thinking = { reasoning: { effort: 'low' }, max_output_tokens: 16 };
    expect(await ask({ ...QUESTION, ...thinking })).toMatchObject({
      status: 'incomplete',
      output: [{ type: 'reasoning' }],
      usage: { output_tokens: 16, output_tokens_details: { reasoning_tokens: 16 } },
    });
    const last = (await streamed({ ...QUESTION, max_output_tokens: 16 })).at(-1);
    expect(last).toMatchObject({ type: 'response.incomplete', response: { status: 'incomplete' } });
  });

  it('is JSON when a schema is given', async () => {
    const schema = {
      type: 'object',
      properties: { colour: { type: 'string', enum: ['blue'] } },
      required: ['colour'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema', name: 'answer', schema, strict: true };
    const { output, text } = await ask({ ...QUESTION, text: { format } });
    expect(output).toMatchObject([{ content: outputText('{"colour":"blue"}') }]);
    expect(text).toMatchObject({ format: { ...format, description: null } });
    const { output: free } = await ask({ ...QUESTION, text: { format: { type: 'json_object' } } });
    expect(JSON.stringify(free)).toContain('the sky blue');
  });
});

describe('reasoning', () => {
  const include = ['reasoning.encrypted_content'];
  const thoughtful = { ...QUESTION, reasoning: { effort: 'low', summary: 'auto' }, include, store: false };

  it('comes first if requested, with a summary and encrypted content if requested', async () => {
    const full = await ask(thoughtful);
    expect(full.output).toMatchObject([
      {
        id: expect.stringMatching(/^rs_/),
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: expect.stringContaining('the sky blue') }],
        encrypted_content: expect.stringMatching(/^gAAAA.{100}/),
      },
      { type: 'message' },
    ]);
    expect(full.usage).toMatchObject({ output_tokens_details: { reasoning_tokens: expect.any(Number) } });
    const plain = await ask({ ...QUESTION, reasoning: { effort: 'low' } });
    expect(plain.output[0]).toEqual({ id: expect.any(String), type: 'reasoning', summary: [] });
    for (const reasoning of [null, { effort: 'none' }]) {
      expect((await ask({ ...QUESTION, reasoning })).output.map(({ type }) => type)).toEqual(['message']);
    }
  });

  it('is refused if the client sends it back changed, or with the id of another item', async () => {
    const [thought, said] = (await ask(thoughtful)).output;
    const [other] = (await ask(thoughtful)).output;
    const again = (changed: object) =>
      send({ ...thoughtful, input: [user('Why?'), { ...thought, ...changed }, said, user('And?')] });
    expect((await again({})).status).toBe(200);
    expect((await again({ id: undefined })).status).toBe(200);
    const encrypted = String(thought?.encrypted_content);
    const changed = [
      `${encrypted}x`,
      encrypted.slice(1),
      encrypted.replace('.', 'A.'),
      `${encrypted.slice(0, -1)}A`,
      String(other?.encrypted_content),
    ];
    for (const content of changed) {
      const refused = await again({ encrypted_content: content });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({
        error: { type: 'invalid_request_error', code: 'invalid_encrypted_content', param: null },
      });
    }
  });

  it('without encrypted content is found by its id as long as it is stored', async () => {
    const body = { ...QUESTION, reasoning: { effort: 'low' } };
    const [thought, said] = (await ask(body)).output;
    const input = [user('Why?'), thought, said, user('And?')];
    expect((await send({ ...body, input })).status).toBe(200);
    provider.clear();
    const refused = await send({ ...body, input });
    expect([refused.status, await refused.json()]).toMatchObject([
      404,
      {
        error: {
          param: 'input',
          message: expect.stringContaining(`Item with id '${thought?.id}' not found.`),
        },
      },
    ]);
  });
});

describe('tools', () => {
  const weather = { input: 'Weather in Oslo?', tools: [WEATHER_TOOL, TIME_TOOL] };

  it('are called if tool_choice requires it, and not if it only allows it', async () => {
    const choices = [
      'required',
      { type: 'function', name: 'get_weather' },
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'get_weather' }] },
    ];
    for (const choice of choices) {
      const { output } = await ask({ ...weather, tool_choice: choice });
      expect(output).toEqual([
        {
          id: expect.stringMatching(/^fc_/),
          type: 'function_call',
          status: 'completed',
          arguments: expect.stringMatching(/^\{"city":"(Weather|Oslo)"\}$/),
          call_id: expect.stringMatching(/^call_/),
          name: 'get_weather',
        },
      ]);
    }
    for (const choice of ['auto', 'none']) {
      expect((await ask({ ...weather, tool_choice: choice })).output[0]?.type).toBe('message');
    }
  });

  it('are called together if the question names them and parallel calls are on', async () => {
    const both = { ...weather, input: 'Use get_weather and get_time for Oslo.', tool_choice: 'required' };
    const names = async (body: object) => (await ask({ ...both, ...body })).output.map(({ name }) => name);
    expect(await names({})).toEqual(['get_weather', 'get_time']);
    expect(await names({ parallel_tool_calls: false })).toEqual(['get_weather']);
  });

  it('are called as the text says, one per turn: a command, a patch, then an answer', async () => {
    const patch = '*** Begin Patch\n*** Add File: a "b".txt\n+hi\n*** End Patch';
    const task = `Do this.\nrun: echo hi > out.txt\nuse apply_patch: ${JSON.stringify({ input: patch })}`;
    const tools = [COMMAND_TOOL, PATCH_TOOL];
    const input: object[] = [user(task)];
    const turn = async () => {
      const { output } = await ask({ input, tools, store: false });
      input.push(...output);
      return output[0];
    };
    const command = await turn();
    expect(command).toMatchObject({ type: 'function_call', name: 'exec_command' });
    expect(JSON.parse(String(command?.arguments))).toEqual({ cmd: 'echo hi > out.txt' });
    input.push({ type: 'function_call_output', call_id: command?.call_id, output: 'done' });
    const patched = await turn();
    expect(patched).toMatchObject({
      id: expect.stringMatching(/^ctc_/),
      type: 'custom_tool_call',
      name: 'apply_patch',
      input: patch,
    });
    const result = [{ type: 'input_text', text: 'Success.' }];
    input.push({ type: 'custom_tool_call_output', call_id: patched?.call_id, output: result });
    expect(await turn()).toMatchObject({ content: outputText(expect.stringContaining('Success.')) });
  });

  it('are not called if the call exceeds max_output_tokens', async () => {
    const city = 'a b '.repeat(40);
    const body = { input: `use get_weather: ${JSON.stringify({ city })}`, tools: [WEATHER_TOOL] };
    expect(await ask({ ...body, max_output_tokens: 16 })).toMatchObject({ status: 'incomplete', output: [] });
    expect((await ask(body)).output).toMatchObject([{ type: 'function_call' }]);
  });

  it('of a namespace are called by their own name, and the call has the namespace', async () => {
    const body = { input: 'use close_agent: {"target":"a"}', tools: [WEATHER_TOOL, AGENTS_TOOL] };
    expect((await ask(body)).output).toMatchObject([
      { type: 'function_call', name: 'close_agent', namespace: 'agents', arguments: '{"target":"a"}' },
    ]);
  });

  it('can also be offered by items of the input, as Codex does', async () => {
    const input = [
      { type: 'additional_tools', id: 'at_1', role: 'developer', tools: [AGENTS_TOOL] },
      { role: 'user', content: 'use close_agent: {"target":"a"}' },
    ];
    expect((await ask({ input })).output).toMatchObject([{ name: 'close_agent', namespace: 'agents' }]);
  });

  it('include web search, which runs if the text or tool_choice asks for it', async () => {
    const tools = [
      { type: 'web_search', external_web_access: true },
      { type: 'mcp', server_label: 'x' },
    ];
    const search = { type: 'search', query: 'skies', queries: ['skies'] };
    const found = await ask({ input: 'Hello. use web_search: {"query":"skies"}', tools });
    expect(found.output).toMatchObject([
      { id: expect.stringMatching(/^ws_/), type: 'web_search_call', status: 'completed', action: search },
      { type: 'message', content: [{ annotations: [{ type: 'url_citation', start_index: 0 }] }] },
    ]);
    const next = [user('use web_search: {"query":"skies"}'), ...found.output, user('Thanks.')];
    expect((await ask({ input: next, tools })).output.map(({ type }) => type)).toEqual(['message']);
    const insisted = await ask({ ...QUESTION, tools, tool_choice: { type: 'web_search' } });
    expect(insisted.output.map(({ type }) => type)).toEqual(['web_search_call', 'message']);
    expect((await ask({ ...QUESTION, tools })).output.map(({ type }) => type)).toEqual(['message']);
  });
});

describe('pictures and files', () => {
  it('are accepted and counted', async () => {
    const pdf = Buffer.from('%PDF-1.4 /Type /Page /Type /Page').toString('base64');
    const parts = [
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
      { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${pdf}` },
    ];
    const text = { type: 'input_text', text: 'Why is the sky blue?' };
    const plain = await ask({ input: [user([text])] });
    const full = await ask({ input: [user([...parts, text])] });
    expect(full.usage.input_tokens - plain.usage.input_tokens).toBe(2 * 85 + 2 * 2_000);
  });
});

describe('a stream', () => {
  const body = {
    input: 'Look. use get_weather: {"city":"a\\"b"}\nalso use apply_patch: {"input":"one\\ntwo"}',
    tools: [WEATHER_TOOL, PATCH_TOOL, { type: 'web_search' }],
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    simulate: { web_searches: 1 },
  };
  const place = z.looseObject({ output_index: z.number(), delta: z.string().default('') });

  it('has numbered events, whole responses at both ends, and the same output as without a stream', async () => {
    const events = await streamed(body);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
    const [created, begun] = events;
    const whole = response.parse(events.at(-1)?.response);
    expect([created, begun]).toMatchObject([
      { type: 'response.created', response: { status: 'in_progress', output: [], usage: null } },
      { type: 'response.in_progress', response: { id: whole.id } },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } });
    const plain = await ask(body);
    expect(Object.keys(whole)).toEqual(Object.keys(plain));
    expect(whole.usage).toEqual(plain.usage);
    expect(whole.output.map(({ type }) => type)).toEqual(plain.output.map(({ type }) => type));
  });

  it('adds, fills and finishes one item after the other', async () => {
    const events = await streamed(body);
    const whole = response.parse(events.at(-1)?.response);
    expect(whole.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'web_search_call',
      'function_call',
      'custom_tool_call',
    ]);
    const done = events.filter(({ type }) => type === 'response.output_item.done');
    expect(done.map(({ item: finished }) => finished)).toEqual(whole.output);
    const added = events.filter(({ type }) => type === 'response.output_item.added');
    expect(added).toMatchObject([
      { item: { summary: [], encrypted_content: expect.stringMatching(/^gAAAA/) } },
      { item: { status: 'in_progress' } },
      { item: { status: 'in_progress', arguments: '' } },
      { item: { status: 'in_progress', input: '' } },
    ]);
    expect(added.map(({ item: begun }) => item.parse(begun).id)).toEqual(whole.output.map(({ id }) => id));
    const joined = (index: number) =>
      events
        .filter(({ type }) => type.endsWith('.delta'))
        .map((event) => place.parse(event))
        .filter(({ output_index: at }) => at === index)
        .map(({ delta }) => delta)
        .join('');
    expect(whole.output[0]).toMatchObject({ summary: [{ text: joined(0) }] });
    expect(whole.output[2]).toMatchObject({ arguments: joined(2) });
    expect(whole.output[3]).toMatchObject({ input: joined(3) });
    const places = events.flatMap(({ output_index: at }) => (typeof at === 'number' ? [at] : []));
    expect(places).toEqual([...places].sort());
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['response.web_search_call.searching', 'response.custom_tool_call_input.done']),
    );
  });

  it('has the text token by token, padded unless the request disables that', async () => {
    const events = await streamed(QUESTION);
    const types = events.map(({ type }) => type);
    expect(types.slice(0, 5)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
    ]);
    expect(types.slice(-4)).toEqual([
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events[4]).toMatchObject({ logprobs: [], obfuscation: expect.any(String) });
    const bare = await streamed({ ...QUESTION, stream_options: { include_obfuscation: false } });
    expect(bare[4]).not.toHaveProperty('obfuscation');
  });
});

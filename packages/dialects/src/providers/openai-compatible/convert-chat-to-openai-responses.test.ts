import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json-object.ts';
import { convertChatToOpenAiResponses } from './convert-chat-to-openai-responses.ts';

const HI = [{ role: 'user', content: 'Hi.' }];
const SAID_HI = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi.' }] }];
const ENCRYPTED = { include: ['reasoning.encrypted_content'], store: false };

const convert = (request: JsonObject, upstreamModel = 'gpt-5.5') =>
  convertChatToOpenAiResponses(
    { messages: HI, ...request },
    { id: 'openai/model', maxOutputTokens: 8_000, upstreamModel },
  );
const converted = (request: JsonObject, model?: string) => convert(request, model).request;
const itemsOf = (...messages: JsonObject[]) => converted({ messages }).input;

describe('a chat that is converted to Responses', () => {
  it('stores nothing, and requests encrypted reasoning', () => {
    expect(convert({})).toEqual({ request: { input: SAID_HI, ...ENCRYPTED }, ignored: [] });
  });

  it('has settings with the names of Responses', () => {
    const schema = { type: 'object', properties: {} };
    const request = {
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 5,
      max_completion_tokens: 700,
      temperature: 0.5,
      top_p: 0.9,
      verbosity: 'low',
      reasoning_effort: 'high',
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } },
      user: 'u',
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
    };
    expect(convert(request)).toEqual({
      request: {
        stream: true,
        input: SAID_HI,
        max_output_tokens: 700,
        temperature: 0.5,
        top_p: 0.9,
        text: { format: { type: 'json_schema', name: 'answer', schema, strict: true }, verbosity: 'low' },
        reasoning: { effort: 'high' },
        user: 'u',
        metadata: { a: 'b' },
        prompt_cache_key: 'k',
        ...ENCRYPTED,
      },
      ignored: [],
    });
  });

  it('has no default sampling values, which reasoning models refuse', () => {
    const request = { temperature: 1, top_p: 1, presence_penalty: 0, frequency_penalty: 0 };
    expect(converted(request)).toEqual({ input: SAID_HI, ...ENCRYPTED });
  });

  it("requests at least 16 tokens, and at most the model's maximum", () => {
    expect(convert({ max_tokens: 1 })).toMatchObject({
      request: { max_output_tokens: 16 },
      ignored: ['max_tokens'],
    });
    expect(convert({ max_completion_tokens: 9_000 })).toMatchObject({
      request: { max_output_tokens: 8_000 },
      ignored: [],
    });
  });

  it('requests a summary for thinking, and an effort by its budget', () => {
    const reasoning = (thinking: JsonObject, effort?: string) =>
      converted({ thinking, ...(effort === undefined ? {} : { reasoning_effort: effort }) }).reasoning;
    expect(reasoning({ type: 'adaptive' })).toEqual({ summary: 'auto' });
    expect(reasoning({ type: 'adaptive', display: 'omitted' }, 'max')).toEqual({ effort: 'max' });
    expect(reasoning({ type: 'enabled', budget_tokens: 2_000 })).toEqual({ effort: 'low', summary: 'auto' });
    expect(reasoning({ type: 'enabled', budget_tokens: 9_000 })).toMatchObject({ effort: 'medium' });
    expect(reasoning({ type: 'enabled', budget_tokens: 32_000 })).toMatchObject({ effort: 'high' });
    expect(reasoning({ type: 'enabled', budget_tokens: 32_000 }, 'low')).toMatchObject({ effort: 'low' });
    expect(reasoning({ type: 'disabled' })).toBeUndefined();
  });

  it('ignores reasoning settings by name for a model without reasoning', () => {
    for (const model of ['gpt-4o', 'gpt-4.1-mini', 'gpt-5-chat-latest'])
      expect(convert({ reasoning_effort: 'low', thinking: { type: 'adaptive' } }, model)).toEqual({
        request: { input: SAID_HI, store: false },
        ignored: ['reasoning_effort', 'thinking'],
      });
  });

  it.each([
    [{ n: 2 }, 'n'],
    [{ stop: ['x'] }, 'stop'],
    [{ logprobs: true }, 'logprobs'],
    [{ audio: { voice: 'alloy' } }, 'audio'],
    [{ messages: [{ role: 'function', content: 'x' }] }, 'messages[0].role'],
    [{ tools: [{ type: 'retrieval' }] }, 'tools[0].type'],
  ])('refuses by name what Responses cannot express: %j', (request, param) => {
    expect(() => convert(request)).toThrow(expect.objectContaining({ status: 400, param }));
  });
});

describe('tools for Responses', () => {
  const parameters = { type: 'object', properties: { a: { type: 'number' } } };

  it('are strict only if the caller says so, and always have a schema', () => {
    const tools = [
      { type: 'function', function: { name: 'a', description: 'A.', parameters } },
      { type: 'function', function: { name: 'b', strict: true } },
      { type: 'custom', custom: { name: 'c', format: { type: 'text' } } },
      {
        type: 'custom',
        custom: { name: 'd', format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'x' } } },
      },
    ];
    expect(converted({ tools, parallel_tool_calls: false })).toMatchObject({
      tools: [
        { type: 'function', name: 'a', description: 'A.', parameters, strict: false },
        { type: 'function', name: 'b', parameters: { type: 'object', properties: {} }, strict: true },
        { type: 'custom', name: 'c', format: { type: 'text' } },
        { type: 'custom', name: 'd', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      ],
      parallel_tool_calls: false,
    });
  });

  it('are chosen as in Chat Completions', () => {
    const tools = [{ type: 'function', function: { name: 'a' } }];
    const choice = (tool_choice: unknown) => converted({ tools, tool_choice }).tool_choice;
    expect(choice('required')).toBe('required');
    expect(choice({ type: 'function', function: { name: 'a' } })).toEqual({ type: 'function', name: 'a' });
    const allowed = { mode: 'required', tools: [{ type: 'function', function: { name: 'a' } }] };
    expect(choice({ type: 'allowed_tools', allowed_tools: allowed })).toEqual({
      type: 'allowed_tools',
      mode: 'required',
      tools: [{ type: 'function', name: 'a' }],
    });
  });

  it('include web search', () => {
    const web_search_options = {
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { city: 'Bern' } },
    };
    expect(converted({ web_search_options }).tools).toEqual([
      {
        type: 'web_search',
        search_context_size: 'low',
        user_location: { type: 'approximate', city: 'Bern' },
      },
    ]);
  });
});

describe('messages as Responses items', () => {
  it('keep roles, images and files', () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: 'https://x.example/a.png', detail: 'low' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
    ];
    expect(itemsOf({ role: 'developer', content: 'Be brief.' }, { role: 'user', content })).toEqual([
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: 'https://x.example/a.png', detail: 'low' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
        ],
      },
    ]);
  });

  it('have reasoning, text and calls of one turn in this order, then the outputs', () => {
    const tool_calls = [
      { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
      { id: 'call_2', type: 'custom', custom: { name: 'c', input: 'x' } },
    ];
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm', format: 'openai-responses-v1', index: 0 },
      { type: 'reasoning.text', text: '.', format: 'openai-responses-v1', index: 0 },
      { type: 'reasoning.text', signature: 'sealed', format: 'openai-responses-v1', index: 0 },
    ];
    expect(
      itemsOf(
        { role: 'assistant', content: 'I look.', reasoning_details, tool_calls },
        { role: 'tool', tool_call_id: 'call_1', content: 'one' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'two' }] },
      ),
    ).toEqual([
      {
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Hm.' }],
        encrypted_content: 'sealed',
      },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
      { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'c', input: 'x' },
      { type: 'function_call_output', call_id: 'call_1', output: 'one' },
      {
        type: 'custom_tool_call_output',
        call_id: 'call_2',
        output: [{ type: 'input_text', text: 'two' }],
      },
    ]);
  });

  it('ignore reasoning by name that another provider signed', () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'Hm.', signature: 'sig', format: 'anthropic-claude-v1' },
    ];
    const messages = [
      ...HI,
      { role: 'assistant', content: 'Ho.', reasoning_content: 'Hm.', reasoning_details },
    ];
    const { ignored, request } = convert({ messages });
    expect(JSON.stringify(request)).not.toContain('Hm.');
    expect(ignored).toEqual(['messages[].reasoning_details', 'messages[].reasoning_content']);
  });

  it('replace a call id that is too long, the same in the call and in its output', () => {
    const id = `toolu_${'x'.repeat(90)}`;
    const call = { id, type: 'function', function: { name: 'f', arguments: '' } };
    const items = itemsOf(
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: '' },
    );
    const [called, output] = Array.isArray(items) ? items : [];
    expect(called).toMatchObject({ call_id: expect.stringMatching(/^call_\w{32}$/), arguments: '{}' });
    expect(output).toEqual({ type: 'function_call_output', call_id: called.call_id, output: '' });
  });
});

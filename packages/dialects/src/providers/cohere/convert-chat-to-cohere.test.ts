import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json-object.ts';
import { convertChatToCohere } from './convert-chat-to-cohere.ts';

const HI = [{ role: 'user', content: 'Hi.' }];
const write = (request: JsonObject, upstreamModel = 'command-a-plus-05-2026') =>
  convertChatToCohere(
    { messages: HI, ...request },
    { id: 'cohere/model', maxOutputTokens: 8_000, upstreamModel },
  );
const written = (request: JsonObject, model?: string) => write(request, model).request;
const TEXT_ONLY = 'command-r-08-2024';

const named = (name: string, more: object = {}) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', required: ['a'] }, ...more },
});

describe('a chat for Cohere', () => {
  it('has only messages if nothing else is set', () => {
    expect(write({})).toEqual({ request: { messages: HI }, ignored: [] });
  });

  it("has the names of Cohere's API", () => {
    const request = {
      max_tokens: 5,
      max_completion_tokens: 7,
      top_p: 0.5,
      top_k: 9,
      stop: 'end',
      seed: 1,
      frequency_penalty: 0.5,
      presence_penalty: 0,
      stream: true,
      stream_options: { include_usage: true },
    };
    expect(write(request)).toEqual({
      request: {
        stream: true,
        messages: HI,
        max_tokens: 7,
        stop_sequences: ['end'],
        p: 0.5,
        k: 9,
        frequency_penalty: 0.5,
        presence_penalty: 0,
        seed: 1,
      },
      ignored: [],
    });
  });

  it("clamps values to Cohere's ranges, by name", () => {
    const { ignored, request } = write({ temperature: 2, frequency_penalty: -1, top_k: 900, top_p: 1 });
    expect(request).toMatchObject({ temperature: 1, frequency_penalty: 0, k: 500, p: 0.99 });
    expect(ignored.sort()).toEqual(['frequency_penalty', 'temperature', 'top_k']);
  });

  it.each([
    [{ tool_choice: 'auto' }, ['f', 'g'], undefined],
    [{ tool_choice: 'none' }, ['f', 'g'], 'NONE'],
    [{ tool_choice: 'required' }, ['f', 'g'], 'REQUIRED'],
    [{ tool_choice: { type: 'function', function: { name: 'g' } } }, ['g'], 'REQUIRED'],
    [
      { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named('f', {})] } } },
      ['f'],
      undefined,
    ],
  ])('lets the model choose as in %j', (choice, names, expected) => {
    // Allowed tools are named, and no more.
    const plain = JSON.parse(
      JSON.stringify(choice).replace(',"parameters":{"type":"object","required":["a"]}', ''),
    );
    const { tool_choice, tools } = written({ ...plain, tools: [named('f'), named('g')] });
    expect(tools).toMatchObject(names.map((name) => ({ function: { name } })));
    expect(tool_choice).toBe(expected);
  });

  it('has strict tools if all can be strict, else ignores strict by name', () => {
    const strict = { strict: true };
    expect(write({ tools: [named('f', strict), named('g', strict)] })).toMatchObject({
      request: { strict_tools: true },
      ignored: [],
    });
    for (const tools of [
      [named('f', strict), named('g')],
      [named('f', { ...strict, parameters: { type: 'object' } })],
    ]) {
      const { ignored, request } = write({ tools });
      expect(request).not.toHaveProperty('strict_tools');
      expect(ignored).toEqual(['tools[].function.strict']);
    }
  });

  it('has an empty schema for a function without parameters', () => {
    expect(written({ tools: [{ type: 'function', function: { name: 'f' } }] }).tools).toEqual([
      { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
    ]);
  });

  it.each([
    [{ reasoning_effort: 'none' }, { type: 'disabled' }],
    [{ reasoning_effort: 'low' }, { type: 'enabled', token_budget: 4_096 }],
    [
      { reasoning_effort: 'low', max_tokens: 100 },
      { type: 'enabled', token_budget: 80 },
    ],
    [{ reasoning_effort: 'high' }, { type: 'enabled' }],
    [{ thinking: { type: 'disabled' } }, { type: 'disabled' }],
    [{ thinking: { type: 'adaptive' } }, { type: 'enabled' }],
    [{ thinking: { type: 'enabled', budget_tokens: 2_000 } }, { type: 'enabled', token_budget: 2_000 }],
    [{ thinking: { type: 'enabled', token_budget: 2_000 } }, { type: 'enabled', token_budget: 2_000 }],
  ])('thinks as %j asks', (request, expected) => {
    expect(written(request).thinking).toEqual(expected);
    // Where the model cannot think, nobody is told that it does.
    const without = write(request, TEXT_ONLY);
    expect(without.request).not.toHaveProperty('thinking');
    const isOff = JSON.stringify(expected).includes('disabled');
    expect(without.ignored).toEqual(isOff ? [] : [Object.keys(request)[0]]);
  });

  it('keeps earlier thoughts for thinking models, and ignores foreign signatures by name', () => {
    const before = (more: object) => ({
      messages: [...HI, { role: 'assistant', content: 'Yes.', ...more }, ...HI],
    });
    const thought = [
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'Yes.' },
    ];
    const told = before({ reasoning_content: 'Hm.' });
    expect(written(told)).toMatchObject({ messages: [HI[0], { content: thought }, HI[0]] });
    const details = before({
      reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'abc' }],
    });
    expect(write(details)).toMatchObject({
      request: { messages: [HI[0], { content: thought }, HI[0]] },
      ignored: ['messages[].reasoning_details'],
    });
    expect(write(told, TEXT_ONLY)).toMatchObject({
      request: { messages: [HI[0], { content: 'Yes.' }, HI[0]] },
      ignored: ['messages[].reasoning_content'],
    });
  });

  it('has no empty messages, results or arguments', () => {
    const messages = [
      ...HI,
      { role: 'assistant', content: ' ' },
      { role: 'user', content: '' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'f', arguments: '' } }] },
      { role: 'tool', tool_call_id: 'c', content: '' },
    ];
    expect(written({ messages }).messages).toEqual([
      ...HI,
      {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: '(no result)' },
    ]);
  });

  const picture = { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } };
  it('keeps images of users unchanged', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'See:' }, picture] }];
    expect(written({ messages }).messages).toEqual(messages);
  });

  const result = (content: unknown) => [
    ...HI,
    { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f' } }] },
    { role: 'tool', tool_call_id: 'c', content },
  ];
  it.each<[string, JsonObject]>([
    ['n', { n: 2 }],
    ['logprobs', { logprobs: true }],
    ['logit_bias', { logit_bias: { 5: 1 } }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['stop', { stop: ['a', 'b', 'c', 'd', 'e', 'f'] }],
    ['reasoning_effort', { reasoning_effort: 'wild' }],
    ['response_format', { response_format: { type: 'json_object' }, tools: [named('f')] }],
    ['response_format.type', { response_format: { type: 'grammar' } }],
    ['tool_choice', { tool_choice: 'required' }],
    ['tools[0].type', { tools: [{ type: 'custom' }] }],
    ['messages', { messages: [] }],
    ['messages[0].role', { messages: [{ role: 'function', content: 'a' }] }],
    ['messages[2].content[0].type', { messages: result([picture]) }],
    ['messages[0].content[0].file', { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] }],
  ])('refuses %s', (param, request) => {
    expect(() => write(request)).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
  });
});

import { GatewayError } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import type { Chat } from '../../interfaces/chat.ts';
import { convertMessagesToChat } from './convert-messages-to-chat.ts';
import { carryReasoning } from './messages-carried-reasoning.ts';
import { MESSAGES_FIELDS } from './messages-fields.ts';

const MODEL: Chat['model'] = { id: 'acme/small', maxOutputTokens: undefined };
const HELLO = [{ role: 'user', content: 'hello' }];

function translated(more: object, model = MODEL) {
  return convertMessagesToChat({ model: 'acme/small', max_tokens: 100, messages: HELLO, ...more }, model);
}

const messagesOf = (messages: object[], more: object = {}) =>
  translated({ messages, ...more }).request.messages;
const userMessage = (...content: object[]) => messagesOf([{ role: 'user', content }]);

/** A schema of an object that has these members and no others. */
function closedOf(properties: object): object {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function documentWith(members: object): object {
  const source = { type: 'text', media_type: 'text/plain', data: 'a' };
  return { messages: [{ role: 'user', content: [{ type: 'document', source, ...members }] }] };
}

function refusalOf(more: object): GatewayError {
  try {
    translated(more);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error('it was not refused');
}

describe('tools that are found or changed within a conversation', () => {
  it('found, added and removed tools become text, because the model gets all tools', () => {
    const found = { type: 'tool_reference', tool_name: 'search' };
    const call = { type: 'tool_use', id: 'a', name: 'find_tools', input: {} };
    const change = (type: string, name: string) => ({ type, tool: { type: 'tool_reference', name } });
    expect(
      messagesOf([
        ...HELLO,
        { role: 'assistant', content: [call] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [found] }] },
        { role: 'system', content: [change('tool_addition', 'write'), change('tool_removal', 'read')] },
      ]),
    ).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', content: 'Tool found: search' },
      {
        role: 'system',
        content: 'The tool write is available now.\n\nThe tool read is no longer available.',
      },
    ]);
  });

  it('are refused by name where they are defined in between', () => {
    const tool = { type: 'tool_definition', definition: { name: 'x', input_schema: {} } };
    const content = [{ type: 'tool_addition', tool }];
    expect(refusalOf({ messages: [...HELLO, { role: 'system', content }] }).param).toContain('tool');
  });
});

describe('the settings of a request', () => {
  it('settings of Messages become those of Chat Completions, and a stream asks for its usage', () => {
    const more = { stream: true, temperature: 0.5, top_p: 0.9, stop_sequences: ['a', 'b', 'c', 'd', 'e'] };
    expect(translated(more)).toMatchObject({
      request: {
        model: 'acme/small',
        messages: HELLO,
        max_completion_tokens: 100,
        stream: true,
        stream_options: { include_usage: true },
        temperature: 0.5,
        top_p: 0.9,
        stop: ['a', 'b', 'c', 'd', 'e'],
      },
      ignored: [],
    });
  });

  it('the converted request never asks for more than the model can write', () => {
    const { request } = translated({ max_tokens: 32_000 }, { id: 'acme/small', maxOutputTokens: 8_192 });
    expect(request.max_completion_tokens).toBe(8_192);
  });

  it('settings that are null, or ask for nothing, are left out', () => {
    const nothing = { system: null, tools: [], stop_sequences: [], tool_choice: { type: 'auto' } };
    const neutral = { mcp_servers: [], inference_geo: 'global', container: null, top_k: null };
    expect(translated({ ...nothing, ...neutral })).toEqual(translated({}));
    for (const citations of [null, {}, { enabled: null }, { enabled: false }])
      expect(translated(documentWith({ citations, title: null }))).toEqual(translated(documentWith({})));
  });

  it.each<[string, object, object]>([
    ['auto', { type: 'auto' }, { tool_choice: 'auto' }],
    ['any', { type: 'any' }, { tool_choice: 'required' }],
    ['none', { type: 'none' }, { tool_choice: 'none' }],
    [
      'one tool',
      { type: 'tool', name: 'add' },
      { tool_choice: { type: 'function', function: { name: 'add' } } },
    ],
    [
      'one call at a time',
      { type: 'auto', disable_parallel_tool_use: true },
      { tool_choice: 'auto', parallel_tool_calls: false },
    ],
  ])('a tool choice of Messages is converted: %s', (_name, tool_choice, expected) => {
    const tools = [{ name: 'add', input_schema: { type: 'object' } }];
    expect(translated({ tools, tool_choice }).request).toMatchObject(expected);
  });

  it('tools of Messages become functions', () => {
    const input_schema = { type: 'object', properties: { a: { type: 'number' } } };
    const tools = [
      { type: 'custom', name: 'add', description: 'adds', input_schema, strict: true, cache_control: {} },
      { name: 'stop', input_schema: { type: 'object' }, defer_loading: true },
    ];
    const { request, ignored } = translated({ tools });
    expect(request.tools).toEqual([
      {
        type: 'function',
        function: { name: 'add', description: 'adds', parameters: input_schema, strict: true },
      },
      { type: 'function', function: { name: 'stop', parameters: { type: 'object' } } },
    ]);
    expect(ignored).toEqual(['cache_control', 'tools[].defer_loading']);
  });

  it('a JSON schema for the answer is converted, strict where OpenAI accepts that', () => {
    const closed = { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false };
    const format = (schema: object) => ({ type: 'json_schema', schema });
    const nameOf = (strict: boolean, schema: object) => ({
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict },
    });
    const asked = (more: object) => translated(more).request.response_format;
    expect(asked({ output_config: { format: format(closed) } })).toEqual(nameOf(true, closed));
    expect(asked({ output_format: format(closed) })).toEqual(nameOf(true, closed));
    const open = { ...closed, required: [] };
    expect(asked({ output_config: { format: format(open) } })).toEqual(nameOf(false, open));
  });

  it.each<[string, boolean, object]>([
    ['an object of whatever members', false, { type: 'object' }],
    ['one that may be absent', false, { type: ['object', 'null'] }],
    ['one without members', true, { type: 'object', additionalProperties: false }],
    ['a value that looks like a schema', true, { const: { properties: { a: 1 } } }],
    ['a member that is called `properties`', true, closedOf({ properties: { type: 'array' } })],
    ['a member that is called `default`', false, closedOf({ default: { type: 'object' } })],
  ])('a JSON schema is strict only where OpenAI accepts that: %s', (_name, strict, schema) => {
    const { request } = translated({ output_config: { format: { type: 'json_schema', schema } } });
    expect(request.response_format).toMatchObject({ json_schema: { schema, strict } });
  });

  it('every model can serve a recorded request of Claude Code', () => {
    const { extra, ignored } = translated({
      metadata: { user_id: 'u' },
      thinking: { type: 'enabled', budget_tokens: 31_999, display: 'omitted' },
      context_management: { edits: [] },
      system: [{ type: 'text', text: 'You are helpful.', cache_control: { type: 'ephemeral' } }],
    });
    expect(ignored.toSorted()).toEqual(['cache_control', 'context_management', 'metadata']);
    expect(extra).toEqual({ thinking: { type: 'enabled', budget_tokens: 31_999, display: 'omitted' } });
  });
});

describe('the messages of a request', () => {
  it('the system prompt comes first, and its blocks become one text', () => {
    const system = [
      { type: 'text', text: 'Be brief.' },
      { type: 'text', text: 'Be kind.' },
    ];
    expect(translated({ system }).request.messages).toEqual([
      { role: 'system', content: 'Be brief.\n\nBe kind.' },
      ...HELLO,
    ]);
    expect(translated({ system: 'Be brief.' }).request.messages).toContainEqual({
      role: 'system',
      content: 'Be brief.',
    });
  });

  it('pictures and files are converted', () => {
    const content = userMessage(
      { type: 'text', text: 'See:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      {
        type: 'document',
        title: 'a.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' },
      },
      {
        type: 'document',
        title: 'Notes',
        context: 'of May',
        source: { type: 'text', media_type: 'text/plain', data: 'Hi' },
      },
      { type: 'search_result', title: 'T', source: 'S', content: [{ type: 'text', text: 'found' }] },
    );
    expect(content).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
          { type: 'text', text: 'Notes\nof May\n\nHi' },
          { type: 'text', text: 'T\nS\n\nfound' },
        ],
      },
    ]);
  });

  it('tool results come right behind their calls, with failures and pictures', () => {
    const call = (id: string) => ({ type: 'tool_use', id, name: 'look', input: { at: id } });
    const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };
    const messages = messagesOf([
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: [{ type: 'text', text: 'I look.' }, call('a'), call('b')] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'seen' }, image] },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: 'no light', is_error: true },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ]);
    const called = (id: string) => ({
      id,
      type: 'function',
      function: { name: 'look', arguments: JSON.stringify({ at: id }) },
    });
    expect(messages).toEqual([
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: 'I look.', tool_calls: [called('a'), called('b')] },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: 'seen\n\nIts pictures and files follow in the next message.',
      },
      { role: 'tool', tool_call_id: 'b', content: 'The tool call failed.\n\nno light' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What the tool call a has returned besides text:' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'text', text: 'Go on.' },
        ],
      },
    ]);
  });

  it('messages of one role that follow each other become one, and the caller may begin the answer', () => {
    const messages = messagesOf([
      { role: 'user', content: 'a' },
      { role: 'user', content: [{ type: 'text', text: 'b' }] },
      { role: 'assistant', content: 'The answer is' },
      { role: 'assistant', content: [] },
    ]);
    expect(messages).toEqual([
      { role: 'user', content: 'a\n\nb' },
      { role: 'assistant', content: 'The answer is' },
    ]);
  });

  it('signed reasoning is carried byte for byte', () => {
    const signature = 'EuYBCkQ+/=\u00e9';
    const messages = messagesOf([
      ...HELLO,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature },
          { type: 'redacted_thinking', data: 'xyz' },
          { type: 'thinking', thinking: ' Well.', signature: '' },
          { type: 'tool_use', id: 'a', name: 'look', input: {} },
        ],
      },
    ]);
    expect(messages).toContainEqual({
      role: 'assistant',
      content: null,
      reasoning_content: 'Hm. Well.',
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hm.', signature, format: 'anthropic-claude-v1' },
        { type: 'reasoning.encrypted', data: 'xyz', format: 'anthropic-claude-v1' },
      ],
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
    });
  });

  it('state that a provider of Chat Completions wants back is given back', () => {
    const detail = { type: 'reasoning.encrypted', data: 'd', id: 'rs_1', format: 'openai-responses-v1' };
    const extra_content = { google: { thought_signature: 's' } };
    const messages = messagesOf([
      ...HELLO,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: carryReasoning({ field: 'reasoning' }) },
          { type: 'redacted_thinking', data: carryReasoning({ detail }) },
          { type: 'redacted_thinking', data: carryReasoning({ call: { id: 'a', extra_content } }) },
          { type: 'tool_use', id: 'a', name: 'look', input: {} },
        ],
      },
    ]);
    expect(messages).toContainEqual({
      role: 'assistant',
      content: null,
      reasoning: 'Hm.',
      reasoning_details: [detail],
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' }, extra_content }],
    });
  });
});

/** Something of each type of blocks that is not carried, where it may stand. */
const BLOCKS: Record<string, object> = {
  document: { source: { type: 'text', data: 'a' } },
  search_result: { title: 'a', source: 'b', content: [] },
  tool_use: { id: 'a', name: 'b', input: {} },
  text: { text: 'a' },
};

/** @param member of a block, or of its source: `source.url` */
function under(member: string, value: unknown): object {
  const [first = '', second] = member.split('.');
  return { [first]: second === undefined ? value : { type: 'url', [second]: value } };
}

function requestWith(field: string): { more: object; param: string } {
  const [, kind, type, member] = /^(content|tools)\[(\w+)\](?:\.([\w.]+))?$/.exec(field) ?? [];
  const value = { enabled: true };
  if (kind === 'content' && type !== undefined) {
    const block = { type, ...BLOCKS[type], ...(member === undefined ? {} : under(member, value)) };
    const role = type === 'tool_use' ? 'assistant' : 'user';
    return {
      more: { messages: [{ role, content: [block] }] },
      param: `messages[0].content[0].${member ?? 'type'}`,
    };
  }
  if (kind === 'tools')
    return { more: { tools: [{ type: `${type}_20990101`, name: 'a' }] }, param: 'tools[0].type' };
  const [first = '', second] = field.split('.');
  if (first === 'tools[]' && second !== undefined)
    return {
      more: { tools: [{ name: 'a', input_schema: {}, [second]: value }] },
      param: `tools[0].${second}`,
    };
  return { more: { [first]: second === undefined ? value : { [second]: value } }, param: field };
}

const fieldsThatAre = (fate: string) =>
  Object.keys(MESSAGES_FIELDS).filter((field) => MESSAGES_FIELDS[field]?.fate === fate);

describe('what Chat Completions cannot express', () => {
  it.each(fieldsThatAre('refused'))(
    'a field that Chat Completions cannot express is refused by name: %s',
    (field) => {
      const { more, param } = requestWith(field);
      const refusal = refusalOf(more);
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', param });
      expect(refusal.message).toContain('acme/small');
    },
  );

  it.each(fieldsThatAre('ignored'))(
    'a field that Chat Completions can do without is ignored by name: %s',
    (field) => {
      expect(translated(requestWith(field).more).ignored).toEqual([field]);
    },
  );

  it('an unknown field is ignored by name', () => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'a', colour: 'red' }], mood: 1 }];
    const { ignored } = translated({ messages, constructor: 1, notre: 'mine' });
    expect(ignored.toSorted()).toEqual(['constructor', 'content[text].colour', 'messages[].mood', 'notre']);
  });

  it('names of ignored fields are safe in a header, and limited in number', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`x${index}`, 1]));
    expect(translated({ 'a\r\nset-cookie: b': 1, '\u4f60': 1 }).ignored).toEqual(['others']);
    expect(translated(many).ignored.length).toBeLessThan(50);
  });

  it.each<[string, object, string]>([
    ['a tool of a type that nobody knows', { tools: [{ type: 'robot_arm', name: 'a' }] }, 'tools[0].type'],
    [
      'a block of a type that nobody knows',
      { messages: [{ role: 'user', content: [{ type: 'hologram' }] }] },
      'messages[0].content[0].type',
    ],
    [
      'a file that only Anthropic has',
      {
        messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] }],
      },
      'messages[0].content[0].source.file_id',
    ],
    [
      'another format of answers',
      { output_config: { format: { type: 'grammar' } } },
      'output_config.format.type',
    ],
  ])('a value that Chat Completions cannot express is refused by name: %s', (_name, more, param) => {
    expect(refusalOf(more)).toMatchObject({ status: 400, param });
  });

  it.each<[string, object, string]>([
    [
      'a text',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 7 }] }] },
      'messages[0].content[0].text',
    ],
    [
      'an id',
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', name: 'a', input: {} }] }] },
      'messages[0].content[0].id',
    ],
    ['a schema', { tools: [{ name: 'a' }] }, 'tools[0].input_schema'],
    ['a role', { messages: [{ role: 'robot', content: 'a' }] }, 'messages[0].role'],
    [
      'a choice',
      { tools: [{ name: 'a', input_schema: {} }], tool_choice: { type: 'toString' } },
      'tool_choice.type',
    ],
    [
      'one call at a time',
      {
        tools: [{ name: 'a', input_schema: {} }],
        tool_choice: { type: 'auto', disable_parallel_tool_use: 'true' },
      },
      'tool_choice.disable_parallel_tool_use',
    ],
    [
      'a call that failed',
      { messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', is_error: 'yes' }] }] },
      'messages[0].content[0].is_error',
    ],
    ['a title', documentWith({ title: 7 }), 'messages[0].content[0].title'],
    ['a context', documentWith({ context: ['a'] }), 'messages[0].content[0].context'],
    ['citations', documentWith({ citations: [] }), 'messages[0].content[0].citations'],
    ['a temperature', { temperature: '0.5' }, 'temperature'],
    ['a share of tokens', { top_p: {} }, 'top_p'],
    ['ends', { stop_sequences: 'a' }, 'stop_sequences'],
    ['an end', { stop_sequences: ['a', 7] }, 'stop_sequences[1]'],
  ])('the error says what is wrong with %s', (_name, more, param) => {
    expect(refusalOf(more)).toMatchObject({ status: 400, code: 'invalid_request', param });
  });
});

describe('settings that Chat Completions lacks', () => {
  const format = { type: 'json_schema', schema: { type: 'object' } };
  const source = { type: 'base64', media_type: 'image/png', data: 'QUJD', later: 1 };

  it.each<[string, object, string[]]>([
    ['one of two formats', { output_config: { format }, output_format: format }, ['output_format']],
    [
      'a member of the format',
      { output_config: { format: { ...format, name: 'n' } } },
      ['output_config.format.name'],
    ],
    ['a member of the old format', { output_format: { ...format, name: 'n' } }, ['output_format.name']],
    [
      'a member of a source',
      { messages: [{ role: 'user', content: [{ type: 'image', source }] }] },
      ['content[image].source.later'],
    ],
  ])('a setting that Chat Completions lacks is named: %s', (_name, more, names) => {
    expect(translated(more).ignored).toEqual(names);
  });
});

it('a schema with oneOf is not strict, which OpenAI would refuse', () => {
  const closed = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const strictOf = (schema: object) =>
    translated({ output_config: { format: { type: 'json_schema', schema } } }).request.response_format;
  const mood = (keyword: string) => ({
    ...closed,
    properties: { mood: { [keyword]: [closed, { type: 'null' }] } },
    required: ['mood'],
  });
  expect(strictOf(mood('anyOf'))).toMatchObject({ json_schema: { strict: true } });
  expect(strictOf(mood('oneOf'))).toMatchObject({ json_schema: { strict: false } });
});

it('a schema with many members is read only once', () => {
  const names = Array.from({ length: 190_000 }, (_, index) => `p${index}`);
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, true])),
    required: names,
  };
  const { request } = translated({ output_config: { format: { type: 'json_schema', schema } } });
  expect(request.response_format).toMatchObject({ json_schema: { strict: true } });
});

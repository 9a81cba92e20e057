import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json-object.ts';
import { DEFAULT_OUTPUT_TOKENS } from '../../usage/default-output.ts';
import { convertChatToAnthropic, OWN_API } from './convert-chat-to-anthropic.ts';

const MODEL = { id: 'anthropic/claude', maxOutputTokens: 64_000 };
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const PDF = 'data:application/pdf;base64,JVBERi0=';
const HI = [{ role: 'user', content: 'hi' }];
const TOOL = { type: 'function', function: { name: 'find', parameters: { type: 'object', properties: {} } } };
const CALL = { id: 'call_1', type: 'function', function: { name: 'find', arguments: '{"q":1}' } };

function translate(request: JsonObject, upstreamModel = 'claude-sonnet-4-5') {
  return convertChatToAnthropic(
    { model: 'anthropic/claude', messages: HI, ...request },
    MODEL,
    upstreamModel,
  );
}

function asked(request: JsonObject, upstreamModel?: string) {
  return translate(request, upstreamModel).request;
}

function ofMessages(...messages: JsonObject[]) {
  return asked({ messages });
}

function refusedParam(request: JsonObject): unknown {
  try {
    translate(request);
  } catch (thrown) {
    return thrown;
  }
  return 'it was not refused';
}

describe('a conversation in Messages', () => {
  it('texts are converted unchanged', () => {
    expect(translate({})).toEqual({
      request: { max_tokens: 64_000, messages: [{ role: 'user', content: 'hi' }] },
      ignored: [],
    });
  });

  it('all instructions are moved to the system prompt, in their order', () => {
    const cache_control = { type: 'ephemeral' };
    expect(
      ofMessages(
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'hi' },
        { role: 'developer', content: [{ type: 'text', text: 'be kind', cache_control }] },
        { role: 'user', content: 'there' },
      ),
    ).toMatchObject({
      system: [
        { type: 'text', text: 'be brief' },
        { type: 'text', text: 'be kind', cache_control },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'text', text: 'there' },
          ],
        },
      ],
    });
    expect(ofMessages({ role: 'system', content: 'be brief' }, ...HI)).toMatchObject({ system: 'be brief' });
  });

  it('instructions alone are said by the user', () => {
    expect(ofMessages({ role: 'system', content: 'write a poem' })).toEqual({
      max_tokens: 64_000,
      messages: [{ role: 'user', content: 'write a poem' }],
    });
  });

  it('a conversation begins with the user, has no empty text, and does not end in white space', () => {
    expect(
      ofMessages(
        { role: 'assistant', content: 'Hello!' },
        { role: 'user', content: [{ type: 'text', text: ' ' }] },
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: '' },
        { role: 'assistant', content: 'It is  \n' },
      ).messages,
    ).toEqual([
      { role: 'user', content: '(The assistant speaks first.)' },
      { role: 'assistant', content: 'Hello!' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'It is' },
    ]);
    expect(refusedParam({ messages: [{ role: 'user', content: ' ' }] })).toMatchObject({ param: 'messages' });
  });

  it('pictures, PDFs and text files are converted, with their cache marks', () => {
    const cache_control = { type: 'ephemeral', ttl: '1h' };
    const content = [
      { type: 'image_url', image_url: { url: PNG, detail: 'auto' }, cache_control },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'file', file: { file_data: PDF, filename: 'a.pdf' } },
      { type: 'file', file: { file_data: 'data:text/plain;base64,aGVsbG8=' } },
    ];
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
    expect(ofMessages({ role: 'user', content }).messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source, cache_control },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
            title: 'a.pdf',
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hello' } },
        ],
      },
    ]);
  });

  it('an answer that was cut while the model thought is left out', () => {
    const reasoning_details = [{ type: 'reasoning.text', text: 'Hm', signature: 'c2ln' }];
    const messages = [...HI, { role: 'assistant', content: '', reasoning_details }, ...HI];
    const { ignored, request } = translate({ messages });
    expect(request.messages).toMatchObject([{ role: 'user', content: [{ text: 'hi' }, { text: 'hi' }] }]);
    expect(ignored).toEqual(['messages[].reasoning_details']);
  });

  it('refusals of the assistant become texts', () => {
    const messages = ofMessages(
      ...HI,
      { role: 'assistant', content: null, refusal: 'I will not.' },
      { role: 'user', content: 'please' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ).messages;
    expect(messages).toMatchObject([{}, { content: 'I will not.' }, {}, { content: 'No.' }]);
  });
});

describe('calls of tools in Messages', () => {
  it('tool results are one turn of the user right after their calls, before what the user says', () => {
    const second = { ...CALL, id: 'call_2', function: { name: 'find', arguments: '' } };
    expect(
      ofMessages(
        ...HI,
        { role: 'assistant', content: 'looking', tool_calls: [CALL, second] },
        { role: 'user', content: 'and?' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'image_url', image_url: { url: PNG } }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'none', is_error: true },
      ).messages,
    ).toMatchObject([
      {},
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'looking' },
          { type: 'tool_use', id: 'call_1', name: 'find', input: { q: 1 } },
          { type: 'tool_use', id: 'call_2', name: 'find', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_2', content: [{ type: 'image' }] },
          { type: 'tool_result', tool_use_id: 'call_1', content: 'none', is_error: true },
          { type: 'text', text: 'and?' },
        ],
      },
    ]);
  });

  it('calls get ids of their own, in characters that Anthropic accepts', () => {
    const turn = [
      { role: 'assistant', tool_calls: [{ ...CALL, id: 'functions.find:0' }] },
      { role: 'tool', tool_call_id: 'functions.find:0', content: 'x' },
    ];
    expect(ofMessages(...HI, ...turn, ...turn).messages).toMatchObject([
      {},
      { content: [{ id: 'call_functions_find_0' }] },
      { content: [{ tool_use_id: 'call_functions_find_0' }] },
      { content: [{ id: 'call_functions_find_0_2' }] },
      { content: [{ tool_use_id: 'call_functions_find_0_2' }] },
    ]);
  });

  it('calls in the old form are converted', () => {
    expect(
      asked({
        functions: [{ name: 'find', description: 'Finds.' }],
        function_call: { name: 'find' },
        messages: [
          ...HI,
          { role: 'assistant', content: null, function_call: { name: 'find', arguments: '{}' } },
          { role: 'function', name: 'find', content: 'found' },
        ],
      }),
    ).toMatchObject({
      tools: [{ name: 'find', description: 'Finds.', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'tool', name: 'find', disable_parallel_tool_use: true },
      messages: [
        {},
        { content: [{ type: 'tool_use', id: 'function', name: 'find' }] },
        { content: [{ type: 'tool_result', tool_use_id: 'function', content: 'found' }] },
      ],
    });
  });

  it.each<[what: string, param: string, messages: JsonObject[]]>([
    ['without a result', 'messages[1].tool_calls[0]', [...HI, { role: 'assistant', tool_calls: [CALL] }]],
    [
      'whose result comes too late',
      'messages[1].tool_calls[0]',
      [
        ...HI,
        { role: 'assistant', tool_calls: [CALL] },
        ...HI,
        { role: 'assistant', content: 'x' },
        { role: 'tool', tool_call_id: 'call_1', content: 'x' },
      ],
    ],
    [
      'that nobody made',
      'messages[1].tool_call_id',
      [...HI, { role: 'tool', tool_call_id: 'x', content: 'x' }],
    ],
    [
      'with arguments that are no JSON',
      'messages[1].tool_calls[0].function.arguments',
      [
        ...HI,
        { role: 'assistant', tool_calls: [{ ...CALL, function: { name: 'find', arguments: '{"q":' } }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'x' },
      ],
    ],
    [
      'of one turn under one id',
      'messages[1].tool_calls[1]',
      [...HI, { role: 'assistant', tool_calls: [CALL, CALL] }],
    ],
  ])('calls %s are refused by name', (_what, param, messages) => {
    expect(refusedParam({ messages })).toMatchObject({ code: 'invalid_request', param });
  });
});

describe('thinking returned to Anthropic', () => {
  const details = [
    { type: 'reasoning.text', text: 'Hm ', format: 'anthropic-claude-v1', index: 0 },
    { type: 'reasoning.text', text: '…', index: 0 },
    { type: 'reasoning.text', signature: 'c2ln+/=', index: 0 },
    { type: 'reasoning.encrypted', data: 'ZW5j+/=', format: 'anthropic-claude-v1', index: 1 },
  ];

  it('returned thinking comes first and byte for byte, however a client has gathered it', () => {
    const thinking = [
      { type: 'thinking', thinking: 'Hm …', signature: 'c2ln+/=' },
      { type: 'redacted_thinking', data: 'ZW5j+/=' },
    ];
    const messages = [
      ...HI,
      {
        role: 'assistant',
        content: 'so',
        reasoning_content: 'Hm …',
        reasoning_details: details,
        tool_calls: [CALL],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'x' },
    ];
    const { ignored, request } = translate({ messages });
    expect(request.messages).toMatchObject([
      {},
      { content: [...thinking, { type: 'text', text: 'so' }, { type: 'tool_use' }] },
      {},
    ]);
    expect(ignored).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ['messages[].reasoning_content', { reasoning_content: 'Hm' }],
    ['messages[].reasoning_details', { reasoning_details: [{ type: 'reasoning.text', text: 'Hm' }] }],
    [
      'messages[].reasoning_details',
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x', format: 'openai-responses-v1' }] },
    ],
  ])('thinking that the provider cannot read is left out and named: %s', (name, members) => {
    const { ignored, request } = translate({
      messages: [...HI, { role: 'assistant', content: 'so', ...members }, ...HI],
    });
    expect(request.messages).toMatchObject([{}, { content: 'so' }, {}]);
    expect(ignored).toEqual([name]);
  });
});

describe('the tools of a request', () => {
  it('tools keep their schemas, their strictness and their cache marks', () => {
    const cache_control = { type: 'ephemeral' };
    const strict = { ...TOOL, cache_control, function: { ...TOOL.function, strict: true } };
    const plain = { type: 'function', function: { name: 'now' } };
    expect(asked({ tools: [strict, plain] }).tools).toEqual([
      {
        name: 'find',
        input_schema: { type: 'object', properties: {}, additionalProperties: false },
        strict: true,
        cache_control,
      },
      { name: 'now', input_schema: { type: 'object', properties: {} } },
    ]);
    expect(translate({ tools: [strict] }, 'claude-3-7-sonnet-20250219').ignored).toEqual([
      'tools[].function.strict',
    ]);
    const { ignored } = translate({ functions: [strict.function] }, 'claude-3-7-sonnet-20250219');
    expect(ignored).toEqual(['functions[].strict']);
  });

  it('schemas of tools have no alternatives at the top level, which Anthropic refuses', () => {
    const parameters = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      anyOf: [
        { properties: { b: { type: 'string' }, c: {} }, required: ['b', 'c'] },
        { properties: { c: { type: 'number' } }, required: ['c'] },
      ],
    };
    const { ignored, request } = translate({
      tools: [{ type: 'function', function: { name: 'find', parameters } }],
    });
    expect(request.tools).toEqual([
      {
        name: 'find',
        input_schema: {
          type: 'object',
          properties: { b: { type: 'string' }, c: { type: 'number' }, a: { type: 'string' } },
          required: ['a', 'c'],
        },
      },
    ]);
    expect(ignored).toEqual(['tools[].function.parameters']);
  });

  it('tools and outputs that must follow a schema have its bounds in descriptions', () => {
    const schema = {
      type: 'object',
      properties: {
        age: { type: 'integer', minimum: 1, maximum: 9, description: 'In years.' },
        email: { type: 'string', format: 'email' },
        code: { type: 'string', format: 'isbn' },
        tags: {
          type: 'array',
          minItems: 1,
          maxItems: 3,
          items: { oneOf: [{ type: 'string', minLength: 1 }] },
        },
        counts: { type: 'object', additionalProperties: { type: 'number' } },
      },
    };
    const kept = {
      type: 'object',
      additionalProperties: false,
      properties: {
        age: { type: 'integer', description: 'In years.\n\n{"minimum":1,"maximum":9}' },
        email: { type: 'string', format: 'email' },
        code: { type: 'string', description: '{"format":"isbn"}' },
        tags: {
          type: 'array',
          minItems: 1,
          items: { anyOf: [{ type: 'string', description: '{"minLength":1}' }] },
          description: '{"maxItems":3}',
        },
        counts: {
          type: 'object',
          additionalProperties: false,
          description: '{"additionalProperties":{"type":"number"}}',
        },
      },
    };
    const { ignored, request } = translate({
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
      tools: [{ type: 'function', function: { name: 'f', parameters: schema, strict: true } }],
    });
    expect(request.output_config).toEqual({ format: { type: 'json_schema', schema: kept } });
    expect(request.tools).toEqual([{ name: 'f', input_schema: kept, strict: true }]);
    expect(ignored).toContain('response_format.json_schema.schema');
    expect(ignored).toContain('tools[].function.parameters');
    expect(schema.properties.age.minimum).toBe(1);
  });

  it.each<[choice: unknown, expected: unknown]>([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'find' } },
      { type: 'tool', name: 'find' },
    ],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [TOOL] } }, { type: 'any' }],
  ])('tools are chosen from as %j says', (tool_choice, expected) => {
    const allowed = { type: 'function', function: { name: 'find' } };
    const choice =
      typeof tool_choice === 'object' && tool_choice !== null && 'allowed_tools' in tool_choice
        ? { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [allowed] } }
        : tool_choice;
    const other = { type: 'function', function: { name: 'other' } };
    const request = asked({ tools: [TOOL, other], tool_choice: choice });
    expect(request.tool_choice).toEqual(expected);
    expect(request.tools).toHaveLength(choice === tool_choice ? 2 : 1);
  });

  it('tools are called one at a time where the caller wants that', () => {
    const choice = (members: JsonObject) =>
      asked({ tools: [TOOL], parallel_tool_calls: false, ...members }).tool_choice;
    expect(choice({})).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(choice({ tool_choice: 'required' })).toEqual({ type: 'any', disable_parallel_tool_use: true });
    expect(choice({ tool_choice: 'none' })).toEqual({ type: 'none' });
    expect(asked({ tools: [TOOL], parallel_tool_calls: true }).tool_choice).toBeUndefined();
  });

  it('an empty list of tools leaves no tool choice', () => {
    expect(asked({ tool_choice: 'auto', parallel_tool_calls: false })).not.toHaveProperty('tool_choice');
    expect(refusedParam({ tool_choice: 'required' })).toMatchObject({ param: 'tool_choice' });
  });
});

describe('the length of an answer', () => {
  it("max_tokens is the caller's, else the model's maximum, else the default", () => {
    expect(asked({ max_tokens: 5 }).max_tokens).toBe(5);
    expect(asked({ max_tokens: 5, max_completion_tokens: 7 }).max_tokens).toBe(7);
    expect(asked({}).max_tokens).toBe(64_000);
    const unknown = { id: 'x', maxOutputTokens: undefined };
    expect(convertChatToAnthropic({ messages: HI }, unknown, 'claude-x').request.max_tokens).toBe(
      DEFAULT_OUTPUT_TOKENS,
    );
  });
});

describe('sampling for Anthropic', () => {
  it.each<[model: string, given: JsonObject, sent: JsonObject, ignored: string[]]>([
    [
      'claude-3-5-haiku-20241022',
      { temperature: 0.3, top_p: 0.9, top_k: 5 },
      { temperature: 0.3, top_p: 0.9, top_k: 5 },
      [],
    ],
    ['claude-3-5-haiku-20241022', { temperature: 1.7 }, { temperature: 1 }, ['temperature']],
    ['claude-sonnet-4-5', { temperature: 0, top_p: 0.9 }, { temperature: 0 }, ['top_p']],
    ['claude-sonnet-4-6', { top_p: 0.9 }, { top_p: 0.9 }, []],
    ['claude-opus-4-7', { temperature: 0.3, top_p: 0.9, top_k: 5 }, {}, ['temperature', 'top_p', 'top_k']],
    ['claude-opus-5', { temperature: 1, top_k: 5 }, { temperature: 1 }, ['top_k']],
    ['claude-opus-5', { top_p: 1 }, { top_p: 1 }, []],
    [
      'some-model',
      { temperature: 0.3, top_p: 0.9, top_k: 5 },
      { temperature: 0.3, top_p: 0.9, top_k: 5 },
      [],
    ],
    [
      'claude-sonnet-4-5',
      { thinking: { type: 'enabled', budget_tokens: 1_024 }, temperature: 0.3, top_k: 5, top_p: 0.95 },
      { thinking: { type: 'enabled', budget_tokens: 1_024 }, top_p: 0.95 },
      ['temperature', 'top_k'],
    ],
  ])('the sampling is what %s takes of %j', (model, given, sent, ignored) => {
    const translated = translate(given, model);
    const { max_tokens: _, messages: __, ...rest } = translated.request;
    expect(rest).toEqual(sent);
    expect(translated.ignored).toEqual(ignored);
  });

  it('stop sequences are only those with visible characters', () => {
    expect(asked({ stop: 'END' }).stop_sequences).toEqual(['END']);
    const { ignored, request } = translate({ stop: ['END', '\n\n'] });
    expect(request.stop_sequences).toEqual(['END']);
    expect(ignored).toEqual(['stop']);
  });
});

describe('reasoning for Anthropic', () => {
  const adaptive = { type: 'adaptive', display: 'summarized' };

  it.each<[model: string, given: JsonObject, sent: JsonObject, ignored: string[]]>([
    [
      'claude-opus-4-6',
      { reasoning_effort: 'high' },
      { thinking: adaptive, output_config: { effort: 'high' } },
      [],
    ],
    [
      'claude-opus-4-6',
      { reasoning_effort: 'xhigh' },
      { thinking: adaptive, output_config: { effort: 'max' } },
      [],
    ],
    [
      'claude-opus-5',
      { reasoning_effort: 'xhigh' },
      { thinking: adaptive, output_config: { effort: 'xhigh' } },
      [],
    ],
    [
      'claude-opus-5',
      { reasoning_effort: 'minimal' },
      { thinking: adaptive, output_config: { effort: 'low' } },
      [],
    ],
    [
      'claude-opus-5',
      { reasoning_effort: 'none' },
      { output_config: { effort: 'low' } },
      ['reasoning_effort'],
    ],
    ['claude-opus-4-6', { reasoning_effort: 'none' }, {}, []],
    [
      'claude-sonnet-4-5',
      { reasoning_effort: 'low' },
      { thinking: { type: 'enabled', budget_tokens: 4_096 } },
      [],
    ],
    [
      'claude-sonnet-4-5',
      { reasoning_effort: 'high', max_tokens: 4_000 },
      { thinking: { type: 'enabled', budget_tokens: 3_200 } },
      [],
    ],
    ['claude-sonnet-4-5', { reasoning_effort: 'high', max_tokens: 1_000 }, {}, ['reasoning_effort']],
    ['claude-3-5-sonnet-20241022', { reasoning_effort: 'high' }, {}, ['reasoning_effort']],
    ['claude-opus-5', { thinking: { type: 'adaptive' } }, { thinking: { type: 'adaptive' } }, []],
    [
      'claude-opus-4-8',
      { thinking: { type: 'enabled', budget_tokens: 8_000 } },
      { thinking: adaptive, output_config: { effort: 'medium' } },
      [],
    ],
    [
      'claude-opus-4-6',
      { thinking: { type: 'enabled', budget_tokens: 1_024 } },
      { thinking: { type: 'enabled', budget_tokens: 1_024 } },
      [],
    ],
    [
      'claude-sonnet-5-5',
      { thinking: { type: 'disabled' } },
      { output_config: { effort: 'low' } },
      ['thinking'],
    ],
  ])('reasoning is asked of %s in its words: %j', (model, given, sent, ignored) => {
    const translated = translate(given, model);
    const { max_tokens: _, messages: __, ...rest } = translated.request;
    expect(rest).toEqual(sent);
    expect(translated.ignored).toEqual(ignored);
  });

  it.each(['claude-sonnet-4-5', 'claude-opus-5'])(
    'reasoning of %s gives way to a tool that must be called',
    (model) => {
      const given = { reasoning_effort: 'high', tools: [TOOL], tool_choice: 'required' };
      const { ignored, request } = translate(given, model);
      expect(request).not.toHaveProperty('thinking');
      expect(ignored).toEqual(['reasoning_effort']);
      const own = translate({ ...given, reasoning_effort: null, thinking: { type: 'adaptive' } }, model);
      expect(own.request).not.toHaveProperty('thinking');
      expect(own.ignored).toEqual(['thinking']);
    },
  );

  it('reasoning is not asked for where the caller has begun the answer', () => {
    const messages = [...HI, { role: 'assistant', content: 'It is' }];
    for (const given of [{ reasoning_effort: 'high' }, { thinking: { type: 'adaptive' } }]) {
      const { ignored, request } = translate({ ...given, messages });
      expect(request).not.toHaveProperty('thinking');
      expect(ignored).toEqual(Object.keys(given));
    }
  });

  it('reasoning within a budget is not asked for between calls that came without theirs', () => {
    const turn = (members: JsonObject) => ({
      reasoning_effort: 'high',
      messages: [
        ...HI,
        { role: 'assistant', tool_calls: [CALL], ...members },
        { role: 'tool', tool_call_id: 'call_1', content: 'x' },
      ],
    });
    expect(translate(turn({})).ignored).toEqual(['reasoning_effort']);
    expect(asked(turn({}))).not.toHaveProperty('thinking');
    const details = [{ type: 'reasoning.text', text: 'Hm', signature: 'c2ln' }];
    expect(asked(turn({ reasoning_details: details }))).toMatchObject({ thinking: { type: 'enabled' } });
    expect(asked(turn({}), 'claude-opus-4-6')).toMatchObject({ thinking: { type: 'adaptive' } });
  });
});

describe('the format of an answer', () => {
  it('an answer can be bound to a JSON schema', () => {
    const schema = { type: 'object', properties: {}, additionalProperties: false };
    const response_format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } };
    const { ignored, request } = translate({ response_format });
    expect(request.output_config).toEqual({ format: { type: 'json_schema', schema } });
    expect(ignored).toEqual(['response_format.json_schema.name']);
  });

  it('objects of a schema that leaves it open whether they have more members are closed', () => {
    const inner = { type: 'object', properties: { b: { const: { type: 'object' } } } };
    const schema = { type: 'object', properties: { a: { type: 'array', items: inner } } };
    const response_format = { type: 'json_schema', json_schema: { schema } };
    const items = { ...inner, additionalProperties: false };
    expect(asked({ response_format }).output_config).toMatchObject({
      format: { schema: { properties: { a: { type: 'array', items } }, additionalProperties: false } },
    });
    expect(JSON.stringify(asked({ response_format }))).toContain('"const":{"type":"object"}');
  });

  it('objects are closed whatever the members are called that they describe', () => {
    const named = (additional: object) =>
      Object.fromEntries(
        ['const', 'default', 'enum', 'examples', 'properties', 'type'].map((name) => [
          name,
          { type: 'object', ...additional },
        ]),
      );
    const schema = { type: 'object', properties: named({}), $defs: named({}) };
    const closed = named({ additionalProperties: false });
    expect(asked({ response_format: { type: 'json_schema', json_schema: { schema } } })).toMatchObject({
      output_config: { format: { schema: { properties: closed, $defs: closed } } },
    });
    expect(schema).not.toHaveProperty('additionalProperties');
  });

  it('a request for any JSON becomes an instruction, because Claude has formats for schemas only', () => {
    const { ignored, request } = translate({ response_format: { type: 'json_object' } });
    expect(request).toMatchObject({ system: expect.stringContaining('one JSON object') });
    expect(request).not.toHaveProperty('output_config');
    expect(ignored).toEqual([]);
    expect(translate({ response_format: { type: 'text' } }).request).not.toHaveProperty('system');
  });
});

describe('the features of newer models', () => {
  const own = (request: JsonObject, upstreamModel = 'claude-opus-5') =>
    convertChatToAnthropic({ messages: HI, ...request }, MODEL, upstreamModel, OWN_API).request;

  const IN_BETWEEN = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'hi' },
    { role: 'developer', content: 'be kind' },
    { role: 'user', content: 'there' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'system', content: 'be quick' },
    { role: 'user', content: 'bye' },
  ];

  it('system messages stay where they stand, after the turn of the user', () => {
    expect(own({ messages: IN_BETWEEN })).toMatchObject({
      system: 'be brief',
      messages: [
        { role: 'user', content: [{ text: 'hi' }, { text: 'there' }] },
        { role: 'system', content: 'be kind' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'bye' },
        { role: 'system', content: 'be quick' },
      ],
    });
    const ended = own({
      messages: [...HI, { role: 'assistant', content: 'A' }, { role: 'system', content: 'b' }],
    });
    expect(ended).toMatchObject({ system: 'b', messages: [{ role: 'user' }, { role: 'assistant' }] });
  });

  it.each([['claude-sonnet-5', true] as const, ['claude-opus-5', false] as const])(
    'system messages all become the system prompt of a model or platform without system turns: %s, own API %s',
    (upstreamModel, isOwnApi) => {
      const { request } = convertChatToAnthropic(
        { messages: IN_BETWEEN },
        MODEL,
        upstreamModel,
        isOwnApi ? OWN_API : undefined,
      );
      expect(request.system).toHaveLength(3);
      expect(JSON.stringify(request.messages)).not.toContain('system');
    },
  );

  it('a forced tool is refused for models that cannot be made to call one', () => {
    const refused = (tool_choice: unknown, model: string) => () => own({ tools: [TOOL], tool_choice }, model);
    expect(refused('required', 'claude-opus-5-5')).toThrow(/cannot be made to call a tool/);
    expect(refused({ type: 'function', function: { name: 'find' } }, 'claude-fable-5-1')).toThrow();
    expect(refused('auto', 'claude-opus-5-5')).not.toThrow();
    expect(refused('required', 'claude-opus-5')).not.toThrow();
  });
});

describe('a request with a key of the prompt cache', () => {
  const marked = (request: JsonObject) => asked({ prompt_cache_key: 'k', ...request });
  const mark = { cache_control: { type: 'ephemeral' } };

  it('a request with a cache key has a cache mark at its end', () => {
    expect(marked({}).messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hi', ...mark }] }]);
    expect(asked({}).messages).toEqual([{ role: 'user', content: 'hi' }]);
  });

  it.each<[string, JsonObject]>([
    ['of the request', mark],
    ['of a tool', { tools: [{ ...TOOL, ...mark }] }],
    [
      'of a message',
      { messages: [{ role: 'system', content: [{ type: 'text', text: 'a', ...mark }] }, ...HI] },
    ],
  ])('a request with a cache key keeps to the marks of the caller: %s', (_name, request) => {
    expect(marked(request).messages).toEqual(HI);
  });
});

describe('the maximum output', () => {
  it('the maximum output is never more than the model can write', () => {
    expect(asked({ max_tokens: 200_000 }).max_tokens).toBe(64_000);
    expect(asked({ max_completion_tokens: 100 }).max_tokens).toBe(100);
  });
});

describe('a value of the wrong type for Anthropic', () => {
  const tools = [TOOL];
  const allowing = (tool: JsonObject) => ({ type: 'allowed_tools', allowed_tools: { tools: [tool] } });

  it.each<[param: string, request: JsonObject]>([
    ['parallel_tool_calls', { tools, parallel_tool_calls: 'false' }],
    [
      'tools[0].function.strict',
      { tools: [{ type: 'function', function: { name: 'find', strict: 'true' } }] },
    ],
    [
      'tool_choice.allowed_tools.tools[0].type',
      { tools, tool_choice: allowing({ type: 'custom', function: { name: 'find' } }) },
    ],
    [
      'messages[2].is_error',
      {
        messages: [
          ...HI,
          { role: 'assistant', tool_calls: [CALL] },
          { role: 'tool', tool_call_id: 'call_1', content: 'no light', is_error: 'yes' },
        ],
      },
    ],
  ])('a value of the wrong kind is refused by name: %s', (param, request) => {
    expect(refusedParam(request)).toMatchObject({ status: 400, code: 'invalid_request', param });
  });
});

describe('the names of what is left out', () => {
  it('names of ignored fields appear once, in plain characters, and limited in number', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`field_${index}`, 1]));
    const { ignored } = translate({ 'a\r\nb: c': 1, ü: 1, ['x'.repeat(500)]: 1, ...many });
    expect(ignored.length).toBeLessThanOrEqual(41);
    expect(ignored).toContain('others');
    for (const name of ignored) expect(name).toMatch(/^[\w.[\]-]{1,100}$/);
  });
});

it('calls of many turns that share an id get ids of their own in linear time', () => {
  const turns = Array.from({ length: 40_000 }, () => [
    { role: 'assistant', tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'call_1', content: 'x' },
  ]);
  const { messages } = asked({ messages: [{ role: 'user', content: 'hi' }, ...turns.flat()] });
  expect(messages).toHaveLength(80_001);
  expect(messages).toHaveProperty([1, 'content', 0, 'id'], 'call_1');
  expect(messages).toHaveProperty([3, 'content', 0, 'id'], 'call_1_2');
  expect(messages).toHaveProperty([79_999, 'content', 0, 'id'], 'call_1_40000');
});

import type { GatewayError } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../json/json-object.ts';
import { convertChatToGemini } from './convert-chat-to-gemini.ts';

const MODEL = { id: 'google/gemini', maxOutputTokens: undefined };
const HELLO = [{ role: 'user', content: 'hello' }];
const SIGNATURE = 'EpEgCo4gAb4+9vvWwdN/NkNi+/==';

function translated(request: JsonObject, upstreamModel = 'gemini-3-pro-preview') {
  return convertChatToGemini({ model: 'google/gemini', messages: HELLO, ...request }, MODEL, upstreamModel);
}

const turns = z.array(z.looseObject({ parts: z.array(z.unknown()) }));
const contentsOf = (messages: JsonObject[], upstreamModel?: string) =>
  turns.parse(translated({ messages }, upstreamModel).request.contents);
const configOf = (request: JsonObject, upstreamModel?: string) =>
  translated(request, upstreamModel).request.generationConfig;

function refusalOf(request: JsonObject): Pick<GatewayError, 'param'> & Error {
  try {
    translated(request);
  } catch (thrown) {
    if (thrown instanceof Error && 'param' in thrown)
      return Object.assign(thrown, { param: String(thrown.param) });
    throw thrown;
  }
  throw new Error('it was not refused');
}

const call = (id: string, name = 'look', more: JsonObject = {}) => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify({ at: id }) },
  ...more,
});
const signed = (thought_signature: string) => ({ extra_content: { google: { thought_signature } } });

describe('the settings of a request', () => {
  it('settings become those of generateContent, and the model stands in the path alone', () => {
    const settings = { temperature: 0.5, top_p: 0.9, top_k: 40, seed: 7, stop: ['a', 'b'], max_tokens: 100 };
    expect(translated({ ...settings, stream: true })).toEqual({
      request: {
        contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
        generationConfig: {
          maxOutputTokens: 100,
          temperature: 0.5,
          topP: 0.9,
          topK: 40,
          seed: 7,
          stopSequences: ['a', 'b'],
        },
      },
      ignored: [],
    });
  });

  it.each<[effort: string, model: string, thinkingConfig: JsonObject, ignored: string[]]>([
    ['high', 'gemini-2.5-flash', { thinkingBudget: 24_576, includeThoughts: true }, []],
    ['low', 'gemini-2.5-pro', { thinkingBudget: 1_024, includeThoughts: true }, []],
    ['none', 'gemini-2.5-flash', { thinkingBudget: 0 }, []],
    ['none', 'gemini-2.5-pro', { thinkingBudget: 128 }, ['reasoning_effort']],
    ['none', 'gemini-3-flash-preview', { thinkingLevel: 'minimal' }, ['reasoning_effort']],
    ['minimal', 'gemini-3-pro-preview', { thinkingLevel: 'low', includeThoughts: true }, []],
    ['medium', 'gemini-3.1-pro-preview', { thinkingLevel: 'medium', includeThoughts: true }, []],
    ['max', 'gemini-flash-latest', { thinkingLevel: 'high', includeThoughts: true }, []],
  ])('thinking is asked for: %s of %s', (reasoning_effort, model, thinkingConfig, ignored) => {
    const { ignored: named, request } = translated({ reasoning_effort }, model);
    expect(request.generationConfig).toEqual({ thinkingConfig });
    expect(named).toEqual(ignored);
  });

  it('an effort that the model does not have is named', () => {
    expect(translated({ reasoning_effort: 'high' }, 'gemma-3-27b-it')).toMatchObject({
      ignored: ['reasoning_effort'],
    });
    expect(configOf({ reasoning_effort: 'high' }, 'gemini-2.0-flash')).toBeUndefined();
    expect(refusalOf({ reasoning_effort: 'toString' }).param).toBe('reasoning_effort');
  });

  it('thinking within a budget is asked for', () => {
    const thinking = { type: 'enabled', budget_tokens: 31_999, display: 'omitted' };
    expect(translated({ thinking })).toMatchObject({
      request: {
        generationConfig: { thinkingConfig: { thinkingBudget: 31_999, includeThoughts: true } },
      },
      ignored: ['thinking.display'],
    });
    expect(configOf({ thinking: { type: 'disabled' } }, 'gemini-2.5-flash')).toEqual({
      thinkingConfig: { thinkingBudget: 0 },
    });
  });

  it.each<[string, JsonObject, JsonObject | undefined]>([
    ['auto', { tool_choice: 'auto' }, undefined],
    ['none', { tool_choice: 'none' }, { mode: 'NONE' }],
    ['required', { tool_choice: 'required' }, { mode: 'ANY' }],
    [
      'a function',
      { tool_choice: { type: 'function', function: { name: 'look' } } },
      { mode: 'ANY', allowedFunctionNames: ['look'] },
    ],
    ['in the old form', { function_call: { name: 'look' } }, { mode: 'ANY', allowedFunctionNames: ['look'] }],
  ])('a tool choice is converted: %s', (_name, choice, config) => {
    const tools = [{ type: 'function', function: { name: 'look' } }];
    const { request } = translated({ tools, ...choice });
    expect(request.toolConfig).toEqual(config && { functionCallingConfig: config });
    expect(request.tools).toEqual([{ functionDeclarations: [{ name: 'look' }] }]);
  });

  it('the model must follow the schemas of strict tools', () => {
    const tools = [{ type: 'function', function: { name: 'look', strict: true } }];
    expect(translated({ tools }).request.toolConfig).toEqual({
      functionCallingConfig: { mode: 'VALIDATED' },
    });
  });

  it('a request for JSON is converted, with its schema where there is one', () => {
    expect(configOf({ response_format: { type: 'json_object' } })).toEqual({
      responseMimeType: 'application/json',
    });
    const schema = { type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'] };
    expect(
      configOf({ response_format: { type: 'json_schema', json_schema: { schema, strict: true } } }),
    ).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
  });
});

describe('a schema for Gemini', () => {
  const parametersOf = (parameters: JsonObject) => {
    const { ignored, request } = translated({
      tools: [{ type: 'function', function: { name: 'a', parameters } }],
    });
    const [tool] = Array.isArray(request.tools) ? request.tools : [];
    return { schema: tool.functionDeclarations[0].parametersJsonSchema, ignored };
  };

  it('a schema has what Gemini knows of it, and the rest is named', () => {
    const { ignored, schema } = parametersOf({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        pattern: { type: 'string', pattern: '^a', minLength: 1 },
        kind: { const: 'x', default: 'x' },
        list: { type: 'array', items: { exclusiveMinimum: 0, $ref: '#/definitions/n' } },
        one: { allOf: [{ type: 'number', not: {} }] },
      },
      definitions: { n: { type: 'number' } },
      additionalProperties: false,
    });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        pattern: { type: 'string' },
        kind: { enum: ['x'] },
        list: { type: 'array', items: { $ref: '#/$defs/n' } },
        one: { type: 'number' },
      },
      $defs: { n: { type: 'number' } },
      additionalProperties: false,
    });
    const at = 'tools[].function.parameters';
    expect(ignored.toSorted()).toEqual([
      `${at}.default`,
      `${at}.exclusiveMinimum`,
      `${at}.minLength`,
      `${at}.not`,
      `${at}.pattern`,
    ]);
  });

  it('a schema of the answer loses the keywords that Gemini does not know, and they are named', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^a' } } };
    const format = (strict: boolean) => ({
      response_format: { type: 'json_schema', json_schema: { schema, strict } },
    });
    for (const strict of [false, true])
      expect(translated(format(strict)).ignored).toEqual(['response_format.json_schema.schema.pattern']);
  });
});

describe('the conversation', () => {
  it('instructions stand apart from the conversation', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Be kind.' },
      ...HELLO,
    ];
    expect(translated({ messages }).request).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Be kind.' }] },
      contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
    });
    expect(contentsOf([{ role: 'system', content: 'Hi.' }])).toEqual([
      { role: 'user', parts: [{ text: 'Hi.' }] },
    ]);
  });

  it('pictures, files, recordings and videos are converted', () => {
    const content = [
      { type: 'image_url', image_url: { url: 'data:image/jpg;base64,AAAA' } },
      { type: 'image_url', image_url: 'https://example.com/a.webp?size=1' },
      { type: 'image_url', image_url: { url: 'https://example.com/picture' } },
      { type: 'file', file: { file_data: 'data:application/pdf;base64,BBBB' } },
      { type: 'input_audio', input_audio: { data: 'CCCC', format: 'mp3' } },
      { type: 'video_url', video_url: { url: 'https://example.com/a.mp4' } },
    ];
    expect(contentsOf([{ role: 'user', content }])).toEqual([
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/jpeg', data: 'AAAA' } },
          { fileData: { mimeType: 'image/webp', fileUri: 'https://example.com/a.webp?size=1' } },
          { fileData: { mimeType: 'image/jpeg', fileUri: 'https://example.com/picture' } },
          { inlineData: { mimeType: 'application/pdf', data: 'BBBB' } },
          { inlineData: { mimeType: 'audio/mp3', data: 'CCCC' } },
          { fileData: { mimeType: 'video/mp4', fileUri: 'https://example.com/a.mp4' } },
        ],
      },
    ]);
  });

  it.each<[string, JsonObject, string]>([
    [
      'a file without a type',
      { type: 'file', file: { file_data: 'https://example.com/a' } },
      'file.file_data',
    ],
    ['a picture that is none', { type: 'image_url', image_url: { url: 'ftp://a' } }, 'image_url.url'],
    [
      'an unknown recording',
      { type: 'input_audio', input_audio: { data: '', format: 'amr' } },
      'input_audio.format',
    ],
  ])('a part that Gemini cannot read is refused by name: %s', (_name, part, param) => {
    expect(refusalOf({ messages: [{ role: 'user', content: [part] }] }).param).toBe(
      `messages[0].content[0].${param}`,
    );
  });

  it('results belong to calls without ids by the order of the calls', () => {
    const messages = [
      ...HELLO,
      {
        role: 'assistant',
        content: null,
        tool_calls: [call('a', 'look', signed(SIGNATURE)), call('b', 'hear')],
      },
      { role: 'tool', tool_call_id: 'b', content: 'heard', is_error: true },
      { role: 'user', content: 'Go on.' },
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'seen' }] },
    ];
    expect(contentsOf(messages).slice(1)).toEqual([
      {
        role: 'model',
        parts: [
          { functionCall: { name: 'look', args: { at: 'a' } }, thoughtSignature: SIGNATURE },
          { functionCall: { name: 'hear', args: { at: 'b' } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'look', response: { output: 'seen' } } },
          { functionResponse: { name: 'hear', response: { error: 'heard' } } },
          { text: 'Go on.' },
        ],
      },
    ]);
  });

  it('an id of Gemini’s own is given back, with the call and with its result', () => {
    const own = call('fc_1', 'look', {
      extra_content: { google: { id: 'fc_1', thought_signature: SIGNATURE } },
    });
    const contents = contentsOf([
      ...HELLO,
      { role: 'assistant', tool_calls: [own] },
      { role: 'tool', tool_call_id: 'fc_1', content: 'x' },
    ]);
    expect(contents).toMatchObject([
      {},
      { parts: [{ functionCall: { id: 'fc_1' } }] },
      { parts: [{ functionResponse: { id: 'fc_1' } }] },
    ]);
  });

  it('pictures that a tool has returned come behind its result', () => {
    const content = [
      { type: 'text', text: 'seen' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
    ];
    const messages = [
      ...HELLO,
      { role: 'assistant', tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content },
    ];
    expect(contentsOf(messages).at(-1)).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { name: 'look', response: { output: 'seen' } } },
        { text: 'What the tool call a has returned besides text:' },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      ],
    });
  });

  it('signatures of calls, texts and thoughts are returned byte for byte', () => {
    const format = 'google-gemini-v1';
    const messages = [
      ...HELLO,
      {
        role: 'assistant',
        content: 'Let me look.',
        reasoning_content: 'Hm.',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm.', signature: 'dA==', format },
          { type: 'reasoning.encrypted', data: 'dGV4dA==', format },
          { type: 'reasoning.encrypted', data: 'bW9yZQ==', format },
        ],
        tool_calls: [call('a', 'look', signed(SIGNATURE))],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ];
    expect(contentsOf(messages)[1]?.parts).toEqual([
      { text: 'Hm.', thought: true, thoughtSignature: 'dA==' },
      { text: 'Let me look.', thoughtSignature: 'dGV4dA==' },
      { text: '', thoughtSignature: 'bW9yZQ==' },
      { functionCall: { name: 'look', args: { at: 'a' } }, thoughtSignature: SIGNATURE },
    ]);
  });

  it('a conversation of another model goes on: its thoughts are named, and its calls are marked for models that check', () => {
    const messages = [
      ...HELLO,
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm.', signature: 's', format: 'anthropic-claude-v1' },
        ],
        tool_calls: [call('a'), call('b')],
      },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
      { role: 'tool', tool_call_id: 'b', content: 'x' },
    ];
    const { ignored, request } = translated({ messages });
    expect(ignored).toEqual(['messages[].reasoning_details', 'messages[].reasoning_content']);
    expect(request.contents).toMatchObject([
      {},
      { parts: [{ thoughtSignature: 'skip_thought_signature_validator' }, {}] },
      {},
    ]);
    expect(JSON.stringify(request.contents).match(/thoughtSignature/g)).toHaveLength(1);
    expect(JSON.stringify(contentsOf(messages, 'gemini-2.5-pro'))).not.toContain('thoughtSignature');
  });

  it.each<[string, JsonObject[], string]>([
    [
      'a call without its result',
      [...HELLO, { role: 'assistant', tool_calls: [call('a')] }],
      'messages[1].tool_calls[0]',
    ],
    [
      'a result without its call',
      [...HELLO, { role: 'tool', tool_call_id: 'a', content: 'x' }],
      'messages[1].tool_call_id',
    ],
    [
      'a second result',
      [
        ...HELLO,
        { role: 'assistant', tool_calls: [call('a')] },
        { role: 'tool', tool_call_id: 'a', content: 'x' },
        { role: 'tool', tool_call_id: 'a', content: 'x' },
      ],
      'messages[3].tool_call_id',
    ],
    [
      'arguments that are no object',
      [...HELLO, { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '[1]' } }] }],
      'messages[1].tool_calls[0].function.arguments',
    ],
    ['nothing at all', [{ role: 'user', content: '' }], 'messages'],
  ])('a broken conversation is refused by name: %s', (_name, messages, param) => {
    expect(refusalOf({ messages }).param).toBe(param);
  });
});

import { describe, expect, it } from 'vitest';
import { CONVERSE_FIELDS } from './converse-fields.ts';
import { convertChatToConverse } from './convert-chat-to-converse.ts';

const MODEL = { id: 'bedrock/model', maxOutputTokens: 900 };
const NOVA = 'us.amazon.nova-2-lite-v1:0';
const LLAMA = 'meta.llama4-scout-17b-instruct-v1:0';
const HI = [{ role: 'user', content: 'hi' }];
const TOOL = {
  type: 'function',
  function: { name: 'find', description: ' ', parameters: { properties: {} } },
};
const PNG = 'data:image/png;base64,iVBORw0KGgo=';

const written = (request: object, model = LLAMA) =>
  convertChatToConverse({ messages: HI, ...request }, MODEL, model);

describe('a Converse request', () => {
  it('has limits and the system prompt in the places of Converse', () => {
    const { ignored, request } = written({
      messages: [{ role: 'system', content: 'Be brief.' }, ...HI],
      temperature: 0.5,
      top_p: 0.9,
      stop: ['END', ' '],
      stream: true,
    });
    expect(request).toEqual({
      system: [{ text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ text: 'hi' }] }],
      inferenceConfig: { maxTokens: 900, temperature: 0.5, topP: 0.9, stopSequences: ['END'] },
    });
    expect(ignored).toEqual(['stop']);
  });

  it('has calls, results with images, and signed thinking in the order that Converse requires', () => {
    const id = `call_${'x'.repeat(80)}`;
    const call = { id, type: 'function', function: { name: 'find', arguments: '{"q":1}' } };
    const signed = {
      type: 'reasoning.text',
      text: 'hm',
      signature: 's==',
      format: 'amazon-bedrock-converse-v1',
    };
    const { request } = written({
      tools: [TOOL],
      messages: [
        ...HI,
        { role: 'assistant', content: null, reasoning_details: [signed], tool_calls: [call] },
        {
          role: 'tool',
          tool_call_id: id,
          is_error: true,
          content: [
            { type: 'text', text: 'none' },
            { type: 'image_url', image_url: { url: PNG } },
          ],
        },
      ],
    });
    const toolUseId = `${id.slice(0, 54)}_1`;
    expect(request.messages).toEqual([
      { role: 'user', content: [{ text: 'hi' }] },
      {
        role: 'assistant',
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 's==' } } },
          { toolUse: { toolUseId, name: 'find', input: { q: 1 } } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            toolResult: {
              toolUseId,
              content: [{ text: 'none' }, { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } }],
              status: 'error',
            },
          },
        ],
      },
    ]);
    expect(request.toolConfig).toEqual({
      tools: [{ toolSpec: { name: 'find', inputSchema: { json: { type: 'object', properties: {} } } } }],
    });
  });

  it('has strict tools only for models that support them', () => {
    const tools = [{ type: 'function', function: { name: 'find', strict: true } }];
    const llama = written({ tools });
    expect(llama.ignored).toEqual(['tools[].function.strict']);
    expect(JSON.stringify(llama.request)).not.toContain('strict');
    const qwen = written({ tools }, 'qwen.qwen3-32b-v1:0');
    expect(qwen.ignored).toEqual([]);
    expect(JSON.stringify(qwen.request)).toContain('"strict":true');
  });

  it('has unique document names in allowed characters, and a text beside documents', () => {
    const file = { filename: 'über/uns.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' };
    const part = { type: 'file', file };
    const { request } = written({ messages: [{ role: 'user', content: [part, part] }] });
    const document = (name: string) => ({
      document: { name, format: 'pdf', source: { bytes: 'JVBERi0=' } },
    });
    expect(request.messages).toEqual([
      {
        role: 'user',
        content: [{ text: 'See the document.' }, document('ber uns pdf'), document('ber uns pdf 2')],
      },
    ]);
  });

  it('has the tool choice of Converse, and no tools if none may be called', () => {
    const choice = (tool_choice: unknown) =>
      written({ tools: [TOOL], tool_choice }).request.toolConfig as { toolChoice?: unknown } | undefined;
    expect(choice('required')?.toolChoice).toEqual({ any: {} });
    expect(choice('auto')?.toolChoice).toEqual({ auto: {} });
    expect(choice({ type: 'function', function: { name: 'find' } })?.toolChoice).toEqual({
      tool: { name: 'find' },
    });
    expect(choice('none')).toBeUndefined();
    const call = { id: 'c', type: 'function', function: { name: 'find', arguments: '{}' } };
    const messages = [
      ...HI,
      { role: 'assistant', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ];
    expect(() => written({ messages, tools: [TOOL], tool_choice: 'none' })).toThrow(/tool_choice: the model/);
    expect(() => written({ messages })).toThrow(/tools: the model/);
  });

  it('requests JSON with the schema as a string', () => {
    const json_schema = { name: 'n', schema: { type: 'object', properties: {} } };
    const { request } = written({ response_format: { type: 'json_schema', json_schema } });
    expect(request.outputConfig).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: {
          jsonSchema: {
            schema: '{"type":"object","properties":{},"additionalProperties":false}',
            name: 'n',
          },
        },
      },
    });
  });

  it('has cache points, efforts and top_k only for models that support them', () => {
    const part = { type: 'text', text: 'hi', cache_control: { type: 'ephemeral', ttl: '1h' } };
    const request = { messages: [{ role: 'user', content: [part] }], reasoning_effort: 'xhigh', top_k: 4 };
    const nova = written(request, NOVA);
    expect(nova.ignored).toEqual(['reasoning_effort']);
    expect(nova.request).toMatchObject({
      messages: [{ content: [{ text: 'hi' }, { cachePoint: { type: 'default', ttl: '1h' } }] }],
      additionalModelRequestFields: {
        inferenceConfig: { topK: 4 },
        reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
      },
    });
    expect(written({ thinking: { type: 'enabled', budget_tokens: 2_000 } }, NOVA)).toMatchObject({
      ignored: [],
      request: {
        additionalModelRequestFields: { reasoningConfig: { maxReasoningEffort: 'low' } },
      },
    });
    expect(written({ thinking: { type: 'disabled' } }, NOVA).request).not.toHaveProperty(
      'additionalModelRequestFields',
    );
    expect(written({ thinking: { type: 'enabled', budget_tokens: 2_000 } }).ignored).toEqual(['thinking']);
    const llama = written(request);
    expect([...llama.ignored].sort()).toEqual(['cache_control', 'reasoning_effort', 'top_k']);
    expect(llama.request).not.toHaveProperty('additionalModelRequestFields');
    expect(written({ reasoning_effort: 'minimal' }, 'openai.gpt-oss-20b-1:0').request).toMatchObject({
      additionalModelRequestFields: { reasoning_effort: 'low' },
    });
  });

  it('lets a Nova model continue thinking only with its earlier thinking', () => {
    const call = { id: 'a', type: 'function', function: { name: 'find', arguments: '{}' } };
    const details = [
      { type: 'reasoning.text', text: 'hm', signature: 's==', format: 'amazon-bedrock-converse-v1' },
    ];
    const goesOn = (kept: object) =>
      written(
        {
          reasoning_effort: 'low',
          tools: [TOOL],
          messages: [
            ...HI,
            { role: 'assistant', content: null, tool_calls: [call], ...kept },
            { role: 'tool', tool_call_id: 'a', content: 'none' },
          ],
        },
        NOVA,
      );
    expect(goesOn({}).ignored).toEqual(['reasoning_effort']);
    expect(goesOn({}).request).not.toHaveProperty('additionalModelRequestFields');
    expect(goesOn({ reasoning_details: details })).toMatchObject({
      ignored: [],
      request: { additionalModelRequestFields: { reasoningConfig: { maxReasoningEffort: 'low' } } },
    });
  });

  it.each(['https://example.org/a.png', 'HTTP://example.org/a.png'])(
    'refuses the address %s by name',
    (url) => {
      const content = [{ type: 'image_url', image_url: { url } }];
      expect(() => written({ messages: [{ role: 'user', content }] })).toThrow(
        /^messages\[0\]\.content\[0\]\.image_url\.url: /,
      );
    },
  );

  it('refuses or ignores every field by name as its rule says', () => {
    for (const [field, { fate, isNeutral }] of Object.entries(CONVERSE_FIELDS)) {
      if (field.includes('.') || fate === 'carried') continue;
      const value = { a: 'thing' };
      if (isNeutral?.(value) === true) continue;
      if (fate === 'refused') expect(() => written({ [field]: value }), field).toThrow(`${field}: the model`);
      else expect(written({ [field]: value }).ignored, field).toContain(field);
    }
  });
});

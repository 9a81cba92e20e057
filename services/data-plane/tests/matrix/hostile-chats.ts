/**
 * Conversations and settings that clients send by mistake or on purpose, in Chat Completions, by what is odd
 * in them.
 */

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const user = (content: unknown) => ({ role: 'user', content });
const said = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });
const call = (id: string, name = 'double', args = '{"a":1}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const result = (id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id: id, content });
const tool = (parameters?: unknown, name = 'double', more: object = {}) => ({
  type: 'function',
  function: { name, ...(parameters === undefined ? {} : { parameters }), ...more },
});
const SCHEMA = { type: 'object', properties: { a: { type: 'number' } } };
const TOOLS = { tools: [tool(SCHEMA)] };
const LONG = 'x'.repeat(200);
const deep = (n: number): object =>
  n === 0 ? { type: 'string' } : { type: 'object', properties: { a: deep(n - 1) } };
const HI = [user('Hi.')];
const called = (...calls: { id: string }[]) => [
  user('Hi.'),
  said(null, { tool_calls: calls }),
  ...calls.map((c) => result(c.id)),
];

export const HOSTILE_CHATS: Readonly<Record<string, object>> = {
  'result without call': { messages: [user('Hi.'), result('x')], ...TOOLS },
  'call without result': {
    messages: [user('Hi.'), said(null, { tool_calls: [call('x')] }), user('go on')],
    ...TOOLS,
  },
  'call last': { messages: [user('Hi.'), said(null, { tool_calls: [call('x')] })], ...TOOLS },
  'duplicate ids in turn': {
    messages: [user('Hi.'), said(null, { tool_calls: [call('x'), call('x')] }), result('x'), result('x')],
    ...TOOLS,
  },
  'same id in two turns': { messages: [...called(call('x')), ...called(call('x'))], ...TOOLS },
  'two results for one': { messages: [...called(call('x')), result('x')], ...TOOLS },
  'odd id': { messages: called(call('töö l/😀:1')), ...TOOLS },
  'empty id': { messages: called(call('')), ...TOOLS },
  'two odd ids alike': { messages: called(call('a.b'), call('a:b')), ...TOOLS },
  'long id': { messages: called(call(LONG)), ...TOOLS },
  'two long ids alike': { messages: called(call(`${LONG}1`), call(`${LONG}2`)), ...TOOLS },
  'long id cut collides': { messages: called(call(`${'x'.repeat(54)}_1`), call(LONG)), ...TOOLS },
  'parallel out of order': {
    messages: [
      user('Hi.'),
      said(null, { tool_calls: [call('1'), call('2'), call('3')] }),
      result('3', 'three'),
      result('1', 'one'),
      result('2', 'two'),
    ],
    ...TOOLS,
  },
  prefill: { messages: [user('Hi.'), said('Well, ')] },
  'only assistant': { messages: [said('Hello')] },
  'same role twice': { messages: [user('Hi.'), user('there'), said('x'), said('y'), user('z')] },
  'empty string': { messages: [user('')] },
  'empty array': { messages: [user([])] },
  'null user': { messages: [user(null)] },
  'null assistant': { messages: [user('a'), said(null), user('b')] },
  'empty between': { messages: [user('a'), said(''), user('b')] },
  'blank text': { messages: [user('  \n ')] },
  'system in middle': {
    messages: [user('a'), said('b'), { role: 'system', content: 'Mid-instruct' }, user('c')],
  },
  'only system': { messages: [{ role: 'system', content: 'Be.' }] },
  'empty system': { messages: [{ role: 'system', content: '' }, user('a')] },
  'forged signature': {
    messages: [
      user('a'),
      said('b', {
        reasoning_content: 'mm',
        reasoning_details: [
          { type: 'reasoning.text', text: 'mm', signature: 'forged', format: 'anthropic-claude-v1' },
        ],
      }),
      user('c'),
    ],
  },
  'forged gemini sig': {
    messages: [
      user('a'),
      said('b', {
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'forged', format: 'google-gemini-v1' }],
      }),
      user('c'),
    ],
  },
  'details nonsense': {
    messages: [
      user('a'),
      said('b', { reasoning_details: [null, 1, 'x', { type: 'reasoning.text' }, {}] }),
      user('c'),
    ],
  },
  'extra_content foreign': {
    messages: [
      user('a'),
      said(null, {
        tool_calls: [{ ...call('x'), extra_content: { google: { thought_signature: 'Zm9yZ2Vk' } } }],
      }),
      result('x'),
    ],
    ...TOOLS,
  },
  'extra_content odd': {
    messages: [user('a'), said(null, { tool_calls: [{ ...call('x'), extra_content: 'x' }] }), result('x')],
    ...TOOLS,
  },
  'image wrong mime': {
    messages: [user([{ type: 'image_url', image_url: { url: `data:text/html;base64,${PNG}` } }])],
  },
  'image svg': {
    messages: [user([{ type: 'image_url', image_url: { url: `data:image/svg+xml;base64,${PNG}` } }])],
  },
  'image bmp': {
    messages: [user([{ type: 'image_url', image_url: { url: `data:image/bmp;base64,${PNG}` } }])],
  },
  'image not base64': {
    messages: [user([{ type: 'image_url', image_url: { url: 'data:image/png;base64,@@@' } }])],
  },
  'image no base64 mark': {
    messages: [user([{ type: 'image_url', image_url: { url: 'data:image/png,abc' } }])],
  },
  'image empty data': {
    messages: [user([{ type: 'image_url', image_url: { url: 'data:image/png;base64,' } }])],
  },
  'image http': { messages: [user([{ type: 'image_url', image_url: { url: 'http://example.org/a.png' } }])] },
  'image file url': { messages: [user([{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }])] },
  'image gs url': { messages: [user([{ type: 'image_url', image_url: { url: 'gs://b/a.png' } }])] },
  'image number': { messages: [user([{ type: 'image_url', image_url: { url: 7 } }])] },
  'image in system': {
    messages: [
      {
        role: 'system',
        content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }],
      },
      user('a'),
    ],
  },
  'image in assistant': {
    messages: [
      user('a'),
      said([{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }]),
      user('b'),
    ],
  },
  pdf: {
    messages: [
      user([
        { type: 'file', file: { filename: 'ä/../b.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      ]),
    ],
  },
  'pdf bare base64': {
    messages: [user([{ type: 'file', file: { filename: 'a.pdf', file_data: 'JVBERi0=' } }])],
  },
  docx: {
    messages: [
      user([
        {
          type: 'file',
          file: {
            filename: 'a.docx',
            file_data:
              'data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,UEs=',
          },
        },
      ]),
    ],
  },
  'empty text file': {
    messages: [
      user([
        { type: 'text', text: 'see' },
        { type: 'file', file: { filename: 'a.txt', file_data: 'data:text/plain;base64,' } },
      ]),
    ],
  },
  'file id': { messages: [user([{ type: 'file', file: { file_id: 'file-1' } }])] },
  audio: { messages: [user([{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }])] },
  'audio bad format': {
    messages: [user([{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'exe' } }])],
  },
  'unknown part': { messages: [user([{ type: 'hologram', x: 1 }])] },
  'tool $ref': {
    messages: HI,
    tools: [
      tool({ type: 'object', properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { type: 'string' } } }),
    ],
  },
  'tool recursive': {
    messages: HI,
    tools: [
      tool({
        $ref: '#/definitions/n',
        definitions: { n: { type: 'object', properties: { c: { $ref: '#/definitions/n' } } } },
      }),
    ],
  },
  'tool oneOf top': { messages: HI, tools: [tool({ oneOf: [SCHEMA, { type: 'object', properties: {} }] })] },
  'tool anyOf': {
    messages: HI,
    tools: [tool({ type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } })],
  },
  'tool empty schema': { messages: HI, tools: [tool({})] },
  'tool no schema': { messages: HI, tools: [tool()] },
  'tool type array': {
    messages: HI,
    tools: [tool({ type: 'object', properties: { a: { type: ['string', 'null'] } } })],
  },
  'tool type string': { messages: HI, tools: [tool({ type: 'string' })] },
  'tool boolean schema': { messages: HI, tools: [tool({ type: 'object', properties: { a: true } })] },
  'tool schema true': { messages: HI, tools: [tool(true)] },
  'tool deep': { messages: HI, tools: [tool(deep(40))] },
  'tool name dots': { messages: HI, tools: [tool(SCHEMA, 'a.b/c')] },
  'tool name space': { messages: HI, tools: [tool(SCHEMA, 'a b')] },
  'tool name digit': { messages: HI, tools: [tool(SCHEMA, '1abc')] },
  'tool name dash': { messages: HI, tools: [tool(SCHEMA, 'a-b')] },
  'tool name unicode': { messages: HI, tools: [tool(SCHEMA, 'größe')] },
  'tool name empty': { messages: HI, tools: [tool(SCHEMA, '')] },
  'tool name long': { messages: HI, tools: [tool(SCHEMA, 'n'.repeat(100))] },
  'tool name 128+': { messages: HI, tools: [tool(SCHEMA, 'n'.repeat(200))] },
  'tool twice': { messages: HI, tools: [tool(SCHEMA), tool(SCHEMA)] },
  'tools empty': { messages: HI, tools: [] },
  'tool empty desc': { messages: HI, tools: [tool(SCHEMA, 'double', { description: '' })] },
  'tool desc number': { messages: HI, tools: [tool(SCHEMA, 'double', { description: 7 })] },
  'call of undeclared': { messages: called(call('1', 'other')), ...TOOLS },
  'call bad name': { messages: called(call('1', 'a b')), ...TOOLS },
  'calls but no tools': { messages: called(call('1')) },
  'args no json': { messages: called(call('1', 'double', '{"a":')), ...TOOLS },
  'args array': { messages: called(call('1', 'double', '[1]')), ...TOOLS },
  'args empty': { messages: called(call('1', 'double', '')), ...TOOLS },
  'args huge int': { messages: called(call('1', 'double', '{"a":12345678901234567890}')), ...TOOLS },
  'result empty': {
    messages: [user('Hi.'), said(null, { tool_calls: [call('1')] }), result('1', '')],
    ...TOOLS,
  },
  'result null': {
    messages: [user('Hi.'), said(null, { tool_calls: [call('1')] }), result('1', null)],
    ...TOOLS,
  },
  'result empty array': {
    messages: [user('Hi.'), said(null, { tool_calls: [call('1')] }), result('1', [])],
    ...TOOLS,
  },
  'choice none': { messages: HI, ...TOOLS, tool_choice: 'none' },
  'choice none after calls': { messages: called(call('1')), ...TOOLS, tool_choice: 'none' },
  'choice required': { messages: HI, ...TOOLS, tool_choice: 'required' },
  'choice named': { messages: HI, ...TOOLS, tool_choice: { type: 'function', function: { name: 'double' } } },
  'choice named unknown': {
    messages: HI,
    ...TOOLS,
    tool_choice: { type: 'function', function: { name: 'nope' } },
  },
  'choice allowed': {
    messages: HI,
    ...TOOLS,
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'double' } }] },
    },
  },
  'choice allowed none': {
    messages: HI,
    ...TOOLS,
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } },
  },
  'choice allowed after calls': {
    messages: called(call('1')),
    tools: [tool(SCHEMA), tool(SCHEMA, 'halve')],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'halve' } }] },
    },
  },
  'choice allowed empty after calls': {
    messages: called(call('1')),
    ...TOOLS,
    tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [] } },
  },
  'choice nonsense': { messages: HI, ...TOOLS, tool_choice: 'maybe' },
  'choice number': { messages: HI, ...TOOLS, tool_choice: 7 },
  'choice required no tools': { messages: HI, tool_choice: 'required' },
  'choice auto no tools': { messages: HI, tool_choice: 'auto' },
  'parallel false': { messages: HI, ...TOOLS, parallel_tool_calls: false },
  'parallel false no tools': { messages: HI, parallel_tool_calls: false },
  'schema strict': {
    messages: HI,
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'x',
        strict: true,
        schema: { ...SCHEMA, required: ['a'], additionalProperties: false },
      },
    },
  },
  'schema strict pattern': {
    messages: HI,
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: 'x',
        strict: true,
        schema: { type: 'object', properties: { a: { type: 'string', pattern: '^a' } } },
      },
    },
  },
  'schema no schema': { messages: HI, response_format: { type: 'json_schema', json_schema: { name: 'x' } } },
  'schema null': { messages: HI, response_format: { type: 'json_schema' } },
  'schema & tools': {
    messages: HI,
    ...TOOLS,
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } },
  },
  'schema array top': {
    messages: HI,
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'x', schema: { type: 'array', items: { type: 'string' } } },
    },
  },
  'json object': { messages: HI, response_format: { type: 'json_object' } },
  'format nonsense': { messages: HI, response_format: { type: 'xml' } },
  'stop 6': { messages: HI, stop: ['a1', 'b1', 'c1', 'd1', 'e1', 'f1'] },
  'stop 20': { messages: HI, stop: Array.from({ length: 20 }, (_, i) => `s${i}`) },
  'stop empty string': { messages: HI, stop: [''] },
  'stop blank': { messages: HI, stop: '\n' },
  'stop number': { messages: HI, stop: 7 },
  'n 2': { messages: HI, n: 2 },
  'max 0': { messages: HI, max_tokens: 0 },
  'max negative': { messages: HI, max_tokens: -1 },
  'max huge': { messages: HI, max_tokens: 100000000 },
  'max float': { messages: HI, max_tokens: 1.5 },
  'max text': { messages: HI, max_tokens: '5' },
  'max both': { messages: HI, max_tokens: 5, max_completion_tokens: 7 },
  'unknown field': { messages: HI, frobnicate: { a: 1 } },
  logprobs: { messages: HI, logprobs: true, top_logprobs: 3 },
  seed: { messages: HI, seed: 7 },
  'seed float': { messages: HI, seed: 7.5 },
  'seed huge': { messages: HI, seed: 99999999999999 },
  'temp 2': { messages: HI, temperature: 2 },
  'temp 3': { messages: HI, temperature: 3 },
  'temp -1': { messages: HI, temperature: -1 },
  'temp text': { messages: HI, temperature: 'hot' },
  'top_p 0': { messages: HI, top_p: 0 },
  'top_p 2': { messages: HI, top_p: 2 },
  'top_k -1': { messages: HI, top_k: -1 },
  'top_k float': { messages: HI, top_k: 1.5 },
  'penalty -2': { messages: HI, frequency_penalty: -2, presence_penalty: 2 },
  'penalty 5': { messages: HI, frequency_penalty: 5 },
  metadata: { messages: HI, metadata: { a: 'b' }, user: 'me', store: true, service_tier: 'auto' },
  'lone surrogate': { messages: [user('a\ud800b')] },
  nul: { messages: [user('a\u0000b')] },
  'role nonsense': { messages: [{ role: 'narrator', content: 'a' }] },
  'effort nonsense': { messages: HI, reasoning_effort: 'gigantic' },
  'effort none': { messages: HI, reasoning_effort: 'none' },
  'effort high small max': { messages: HI, reasoning_effort: 'high', max_tokens: 10 },
  'thinking budget 0': { messages: HI, thinking: { type: 'enabled', budget_tokens: 0 } },
  'thinking budget huge': {
    messages: HI,
    thinking: { type: 'enabled', budget_tokens: 10000000 },
    max_tokens: 500,
  },
  'thinking nonsense': { messages: HI, thinking: { type: 'sometimes' } },
  'legacy functions': {
    messages: [
      user('a'),
      said(null, { function_call: { name: 'double', arguments: '{}' } }),
      { role: 'function', name: 'double', content: '1' },
    ],
    functions: [{ name: 'double', parameters: SCHEMA }],
  },
  cache_control: { messages: [user([{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }])] },
  'cache_control odd': {
    messages: [user([{ type: 'text', text: 'x', cache_control: { type: 'eternal', ttl: '9h' } }])],
  },
  'cache 6 marks': {
    messages: [
      user(
        Array.from({ length: 6 }, (_, i) => ({
          type: 'text',
          text: `x${i}`,
          cache_control: { type: 'ephemeral' },
        })),
      ),
    ],
  },
  'user name': { messages: [{ ...user('x'), name: 'joe' }] },
  refusal: { messages: [user('a'), said(null, { refusal: 'no' }), user('b')] },
  'audio answer id': { messages: [user('a'), said(null, { audio: { id: 'audio_1' } }), user('b')] },
  'text part number': { messages: [user([{ type: 'text', text: 7 }])] },
  'many images': {
    messages: [
      user(
        Array.from({ length: 25 }, () => ({
          type: 'image_url',
          image_url: { url: `data:image/png;base64,${PNG}` },
        })),
      ),
    ],
  },
  'many docs': {
    messages: [
      user([
        { type: 'text', text: 'x' },
        ...Array.from({ length: 7 }, () => ({
          type: 'file',
          file: { filename: 'same.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
        })),
      ]),
    ],
  },
};

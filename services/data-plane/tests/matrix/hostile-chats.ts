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

const picture = (url: unknown) => ({ type: 'image_url', image_url: { url } });
const png = picture(`data:image/png;base64,${PNG}`);
const file = (file_data: string, filename = 'a.pdf') => ({ type: 'file', file: { filename, file_data } });
const PDF = 'data:application/pdf;base64,JVBERi0=';
const DOCX = 'data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,UEs=';
const says = (...parts: unknown[]) => ({ messages: [user(parts)] });
const declares = (parameters: unknown, name?: string, more?: object) => ({
  messages: HI,
  tools: [tool(parameters, name, more)],
});
const chooses = (tool_choice: unknown, messages: object[] = HI) => ({ messages, ...TOOLS, tool_choice });
const named = (name: string) => ({ type: 'function', function: { name } });
const allowed = (mode: string, ...names: string[]) => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools: names.map(named) },
});
const answersWith = (json_schema: object) => ({
  messages: HI,
  response_format: { type: 'json_schema', json_schema: { name: 'x', ...json_schema } },
});
/** A conversation whose second message has these members besides its content. */
const after = (content: unknown, more: object) => [user('a'), said(content, more), user('c')];
const thought = (detail: unknown) => after('b', { reasoning_details: [detail] });

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
    messages: after('b', {
      reasoning_content: 'mm',
      reasoning_details: [
        { type: 'reasoning.text', text: 'mm', signature: 'forged', format: 'anthropic-claude-v1' },
      ],
    }),
  },
  'forged gemini sig': {
    messages: thought({ type: 'reasoning.encrypted', data: 'forged', format: 'google-gemini-v1' }),
  },
  'details nonsense': {
    messages: after('b', { reasoning_details: [null, 1, 'x', { type: 'reasoning.text' }, {}] }),
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
  'image wrong mime': says(picture(`data:text/html;base64,${PNG}`)),
  'image svg': says(picture(`data:image/svg+xml;base64,${PNG}`)),
  'image bmp': says(picture(`data:image/bmp;base64,${PNG}`)),
  'image not base64': says(picture('data:image/png;base64,@@@')),
  'image no base64 mark': says(picture('data:image/png,abc')),
  'image empty data': says(picture('data:image/png;base64,')),
  'image http': says(picture('http://example.org/a.png')),
  'image file url': says(picture('file:///etc/passwd')),
  'image gs url': says(picture('gs://b/a.png')),
  'image number': says(picture(7)),
  'image in system': { messages: [{ role: 'system', content: [png] }, user('a')] },
  'image in assistant': { messages: [user('a'), said([png]), user('b')] },
  pdf: says(file(PDF, 'ä/../b.pdf')),
  'pdf bare base64': says(file('JVBERi0=')),
  docx: says(file(DOCX, 'a.docx')),
  'empty text file': says({ type: 'text', text: 'see' }, file('data:text/plain;base64,', 'a.txt')),
  'file id': says({ type: 'file', file: { file_id: 'file-1' } }),
  audio: says({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }),
  'audio bad format': says({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'exe' } }),
  'unknown part': says({ type: 'hologram', x: 1 }),
  'tool $ref': declares({
    type: 'object',
    properties: { a: { $ref: '#/$defs/x' } },
    $defs: { x: { type: 'string' } },
  }),
  'tool recursive': declares({
    $ref: '#/definitions/n',
    definitions: { n: { type: 'object', properties: { c: { $ref: '#/definitions/n' } } } },
  }),
  'tool oneOf top': declares({ oneOf: [SCHEMA, { type: 'object', properties: {} }] }),
  'tool anyOf': declares({
    type: 'object',
    properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } },
  }),
  'tool empty schema': declares({}),
  'tool no schema': { messages: HI, tools: [tool()] },
  'tool type array': declares({ type: 'object', properties: { a: { type: ['string', 'null'] } } }),
  'tool type string': declares({ type: 'string' }),
  'tool boolean schema': declares({ type: 'object', properties: { a: true } }),
  'tool schema true': declares(true),
  'tool deep': declares(deep(40)),
  'tool name dots': declares(SCHEMA, 'a.b/c'),
  'tool name space': declares(SCHEMA, 'a b'),
  'tool name digit': declares(SCHEMA, '1abc'),
  'tool name dash': declares(SCHEMA, 'a-b'),
  'tool name unicode': declares(SCHEMA, 'größe'),
  'tool name empty': declares(SCHEMA, ''),
  'tool name long': declares(SCHEMA, 'n'.repeat(100)),
  'tool name 128+': declares(SCHEMA, 'n'.repeat(200)),
  'tool twice': { messages: HI, tools: [tool(SCHEMA), tool(SCHEMA)] },
  'tools empty': { messages: HI, tools: [] },
  'tool empty desc': declares(SCHEMA, 'double', { description: '' }),
  'tool desc number': declares(SCHEMA, 'double', { description: 7 }),
  'call of undeclared': { messages: called(call('1', 'other')), ...TOOLS },
  'call bad name': { messages: called(call('1', 'a b')), ...TOOLS },
  'calls but no tools': { messages: called(call('1')) },
  'args no json': { messages: called(call('1', 'double', '{"a":')), ...TOOLS },
  'args array': { messages: called(call('1', 'double', '[1]')), ...TOOLS },
  'args empty': { messages: called(call('1', 'double', '')), ...TOOLS },
  'args huge int': { messages: called(call('1', 'double', '{"a":12345678901234567890}')), ...TOOLS },
  'result empty': { messages: [...called(call('1')).slice(0, 2), result('1', '')], ...TOOLS },
  'result null': { messages: [...called(call('1')).slice(0, 2), result('1', null)], ...TOOLS },
  'result empty array': { messages: [...called(call('1')).slice(0, 2), result('1', [])], ...TOOLS },
  'choice none': chooses('none'),
  'choice none after calls': chooses('none', called(call('1'))),
  'choice required': chooses('required'),
  'choice named': chooses(named('double')),
  'choice named unknown': chooses(named('nope')),
  'choice allowed': chooses(allowed('required', 'double')),
  'choice allowed none': chooses(allowed('required')),
  'choice allowed after calls': {
    ...chooses(allowed('auto', 'halve'), called(call('1'))),
    tools: [tool(SCHEMA), tool(SCHEMA, 'halve')],
  },
  'choice allowed empty after calls': chooses(allowed('auto'), called(call('1'))),
  'choice nonsense': chooses('maybe'),
  'choice number': chooses(7),
  'choice required no tools': { messages: HI, tool_choice: 'required' },
  'choice auto no tools': { messages: HI, tool_choice: 'auto' },
  'parallel false': { messages: HI, ...TOOLS, parallel_tool_calls: false },
  'parallel false no tools': { messages: HI, parallel_tool_calls: false },
  'schema strict': answersWith({
    strict: true,
    schema: { ...SCHEMA, required: ['a'], additionalProperties: false },
  }),
  'schema strict pattern': answersWith({
    strict: true,
    schema: { type: 'object', properties: { a: { type: 'string', pattern: '^a' } } },
  }),
  'schema no schema': answersWith({}),
  'schema null': { messages: HI, response_format: { type: 'json_schema' } },
  'schema & tools': { ...answersWith({ schema: SCHEMA }), ...TOOLS },
  'schema array top': answersWith({ schema: { type: 'array', items: { type: 'string' } } }),
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
  cache_control: says({ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }),
  'cache_control odd': says({ type: 'text', text: 'x', cache_control: { type: 'eternal', ttl: '9h' } }),
  'cache 6 marks': says(
    ...Array.from({ length: 6 }, (_, i) => ({
      ...{ type: 'text', text: `x${i}` },
      cache_control: { type: 'ephemeral' },
    })),
  ),
  'user name': { messages: [{ ...user('x'), name: 'joe' }] },
  refusal: { messages: [user('a'), said(null, { refusal: 'no' }), user('b')] },
  'audio answer id': { messages: [user('a'), said(null, { audio: { id: 'audio_1' } }), user('b')] },
  'text part number': says({ type: 'text', text: 7 }),
  'many images': says(...Array.from({ length: 25 }, () => png)),
  'many docs': says({ type: 'text', text: 'x' }, ...Array.from({ length: 7 }, () => file(PDF, 'same.pdf'))),
};

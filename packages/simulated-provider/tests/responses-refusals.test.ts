import { describe, expect, it } from 'vitest';
import { PATCH_TOOL, QUESTION, responsesClient, user, WEATHER_TOOL } from './responses-client.ts';
import { testProvider } from './test-provider.ts';

const provider = await testProvider();
const send = responsesClient(provider);

async function refusal(body: object) {
  const response = await send(body);
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}

const assistant = (content: unknown) => ({ role: 'assistant', content });
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'get_weather', arguments: '{}' });
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'Fine.' });
const text = (words: string) => ({ type: 'input_text', text: words });
const schema = { type: 'object', properties: { a: { type: 'string' } } };

it('a wrong key is refused', async () => {
  const headers = { authorization: 'Bearer sk-other' };
  const response = await fetch(`${provider.baseUrl}/responses`, { method: 'POST', headers, body: '{}' });
  expect([response.status, await response.json()]).toMatchObject([
    401,
    { error: { code: 'invalid_api_key' } },
  ]);
});

it('an unknown model, or one with another capability, is refused', async () => {
  expect((await refusal({ ...QUESTION, model: 'sim-embed-free' })).status).toBe(404);
  expect(await refusal({ ...QUESTION, model: 'sim-nothing' })).toMatchObject({
    status: 404,
    answer: { error: { code: 'model_not_found' } },
  });
});

type Refused = [members: object, message: string, param: string, code: string];
const unknown = (members: object, param: string): Refused => {
  return [members, `Unknown parameter: '${param}'.`, param, 'unknown_parameter'];
};
const missing = (members: object, param: string): Refused => {
  return [members, `Missing required parameter: '${param}'.`, param, 'missing_required_parameter'];
};

it.each<Refused>([
  unknown({ notre: null }, 'notre'),
  unknown({ messages: [] }, 'messages'),
  unknown({ max_tokens: 5 }, 'max_tokens'),
  unknown({ input: [{ ...user('a'), name: 'Jo' }] }, 'input[0].name'),
  unknown({ input: [user([{ ...text('a'), cache_control: {} }])] }, 'input[0].content[0].cache_control'),
  missing({ tools: [{ type: 'function', function: { name: 'a' } }] }, 'tools[0].name'),
  missing({ model: undefined }, 'model'),
  missing({ input: [{ type: 'function_call', name: 'a', arguments: '{}' }] }, 'input[0].call_id'),
  missing({ input: [{ type: 'reasoning', summary: [{ text: 'a' }] }] }, 'input[0].summary[0].type'),
  missing({ input: [user([{ type: 'input_image' }])] }, 'input[0].content[0].image_url'),
  [
    { input: 5 },
    "Invalid type for 'input': expected one of a string or an array, but got an integer instead.",
    'input',
    'invalid_type',
  ],
  [
    { stream: 'yes' },
    "Invalid type for 'stream': expected a boolean, but got a string instead.",
    'stream',
    'invalid_type',
  ],
  [
    { input: [{ ...output('c1'), output: { a: 1 } }] },
    "Invalid type for 'input[0].output': expected one of a string or an array, but got an object instead.",
    'input[0].output',
    'invalid_type',
  ],
  [
    { input: [user([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }])] },
    "Invalid value: 'image_url'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
    'input[0].content[0].type',
    'invalid_value',
  ],
  [
    { input: [assistant([text('a')])] },
    "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    'input[0].content[0].type',
    'invalid_value',
  ],
  [{ input: [{ role: 'tool', content: 'a' }] }, "Invalid value: 'tool'.", 'input[0].role', 'invalid_value'],
  [{ input: [{ type: 'nothing' }] }, "Invalid value: 'nothing'.", 'input[0].type', 'invalid_value'],
  [{ tools: [{ type: 'nothing' }] }, "Invalid value: 'nothing'.", 'tools[0].type', 'invalid_value'],
  [{ tool_choice: 'any' }, "Invalid value: 'any'.", 'tool_choice', 'invalid_value'],
  [{ include: ['everything'] }, "Invalid value: 'everything'.", 'include[0]', 'invalid_value'],
  [{ reasoning: { effort: 'most' } }, "Invalid value: 'most'.", 'reasoning.effort', 'invalid_value'],
  [
    { input: [{ ...call('c1'), id: 'item_1' }, output('c1')] },
    "Invalid 'input[0].id': 'item_1'. Expected an ID that begins with 'fc'.",
    'input[0].id',
    'invalid_value',
  ],
  [
    { tools: [{ ...WEATHER_TOOL, name: 'a.b' }] },
    "Invalid 'tools[0].name': string does not match pattern.",
    'tools[0].name',
    'invalid_value',
  ],
  [
    { tools: [{ ...WEATHER_TOOL, name: 'a'.repeat(65) }] },
    "Invalid 'tools[0].name': string too long. Expected a string with maximum length 64, but got a string with length 65",
    'tools[0].name',
    'string_above_max_length',
  ],
  [
    { input: [] },
    "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.",
    'input',
    'empty_array',
  ],
  [
    { max_output_tokens: 15 },
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
    'max_output_tokens',
    'integer_below_min_value',
  ],
  [
    { temperature: 2.5 },
    "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.5 instead.",
    'temperature',
    'decimal_above_max_value',
  ],
  [{ input: undefined }, "One of 'input', 'previous_response_id'", 'input', 'invalid_request'],
  [
    { background: true, store: false },
    "The 'background' parameter requires",
    'background',
    'invalid_request',
  ],
  [
    { stream_options: {} },
    "The 'stream_options' parameter is only allowed",
    'stream_options',
    'invalid_request',
  ],
  [{ tool_choice: 'required' }, "Tool choice 'required' must be", 'tool_choice', 'invalid_request'],
  [
    { tools: [WEATHER_TOOL], tool_choice: { type: 'function', name: 'other' } },
    "Tool choice 'other' not found in 'tools' parameter.",
    'tool_choice',
    'invalid_request',
  ],
  [
    { tools: [PATCH_TOOL], tool_choice: { type: 'web_search' } },
    "Tool choice 'web_search' not found in 'tools' parameter.",
    'tool_choice',
    'invalid_request',
  ],
  [
    { previous_response_id: 'resp_1', conversation: 'conv_1' },
    'Mutually exclusive parameters',
    'previous_response_id',
    'invalid_request',
  ],
  [
    { tools: [{ ...WEATHER_TOOL, strict: true }] },
    "Invalid schema for function 'get_weather': In context=(), 'additionalProperties' is required",
    'tools[0].parameters',
    'invalid_function_parameters',
  ],
  [
    {
      text: {
        format: {
          type: 'json_schema',
          name: 'x',
          strict: true,
          schema: { ...schema, required: [], additionalProperties: false },
        },
      },
    },
    "Invalid schema for response_format 'x': In context=(), 'required' is required to be supplied",
    'text.format.schema',
    'invalid_json_schema',
  ],
])('%j is refused in the words of OpenAI', async (members, message, param, code) => {
  expect(await refusal({ ...QUESTION, ...members })).toEqual({
    status: 400,
    answer: {
      error: { message: expect.stringContaining(message), type: 'invalid_request_error', param, code },
    },
  });
});

it('prompts and conversations are never found', async () => {
  for (const members of [{ prompt: { id: 'pmpt_1' } }, { conversation: { id: 'conv_1' } }]) {
    const [param] = Object.keys(members);
    expect(await refusal({ ...QUESTION, ...members })).toMatchObject({
      status: 404,
      answer: { error: { param } },
    });
  }
});

describe('calls and results', () => {
  it.each<[string, object[], string]>([
    [
      'a call without its result',
      [user('a'), call('c1'), user('b')],
      'No tool output found for function call c1.',
    ],
    [
      'a result without its call',
      [user('a'), output('c1')],
      'No tool call found for function call output with call_id c1.',
    ],
    ['a result before its call', [output('c1'), call('c1')], 'No tool call found for function call output'],
    [
      'a result of the other kind',
      [user('a'), call('c1'), { ...output('c1'), type: 'custom_tool_call_output' }],
      'No tool call found for custom tool call output with call_id c1.',
    ],
    [
      'an item that comes twice',
      [
        { ...call('c1'), id: 'fc_1' },
        { ...call('c2'), id: 'fc_1' },
      ],
      'Duplicate item found with id fc_1.',
    ],
  ])('%s is refused', async (_what, input, message) => {
    const error = {
      message: expect.stringContaining(message),
      type: 'invalid_request_error',
      param: 'input',
    };
    expect(await refusal({ input })).toMatchObject({ status: 400, answer: { error } });
  });

  it('are accepted in any order if each result comes after its call', async () => {
    const input = [user('a'), call('c1'), call('c2'), output('c2'), user('b'), output('c1')];
    expect((await send({ input })).status).toBe(200);
  });

  it('reasoning without the item that followed it is refused', async () => {
    const include = ['reasoning.encrypted_content'];
    const body = { ...QUESTION, reasoning: { effort: 'low' }, include, store: false };
    const answer: unknown = await (await send(body)).json();
    expect(answer).toMatchObject({ output: [{ type: 'reasoning' }, { type: 'message' }] });
    const [thought]: unknown[] = Object(answer).output;
    expect((await refusal({ input: [thought, output('c1')] })).status).toBe(400);
    expect((await refusal({ input: [thought, user('a')] })).answer).toMatchObject({
      error: {
        message: expect.stringContaining(
          "of type 'reasoning' was provided without its required following item.",
        ),
      },
    });
    const bare = { ...Object(thought), encrypted_content: null };
    expect((await refusal({ input: [user('a'), bare] })).status).toBe(404);
  });

  it('encrypted reasoning may end the input', async () => {
    const include = ['reasoning.encrypted_content'];
    const body = { ...QUESTION, reasoning: { effort: 'low' }, include, store: false };
    const [thought]: unknown[] = Object(await (await send(body)).json()).output;
    expect((await send({ input: [user('a'), thought] })).status).toBe(200);
  });
});

it('items of tools that are not simulated are accepted as they are', async () => {
  const items = [
    { type: 'local_shell_call', id: 'lsh_1', call_id: 'c1', action: { type: 'exec', command: ['ls'] } },
    { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'x', tools: [] },
  ];
  expect((await send({ input: [user('a'), ...items, user('b')] })).status).toBe(200);
});

it('the metadata that Codex adds to turns and messages is accepted', async () => {
  const item = { ...user('a'), internal_chat_message_metadata_passthrough: { turn_id: 'a' } };
  expect((await send({ input: [item], client_metadata: { turn_id: 'a' } })).status).toBe(200);
});

import { GatewayError } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import type { Chat } from '../../interfaces/chat.ts';
import { convertResponsesToChat } from './convert-responses-to-chat.ts';
import { writeEncryptedContent } from './responses-carried-reasoning.ts';

const MODEL: Chat['model'] = { id: 'acme/small', maxOutputTokens: undefined };
const HELLO = [{ role: 'user', content: 'hello' }];

function translated(more: object, model = MODEL) {
  const request = { model: 'acme/small', input: 'hello', ...more };
  const { ignored, request: chat } = convertResponsesToChat(request, model);
  return { ignored, request: chat };
}

const messagesOf = (...input: object[]) => translated({ input }).request.messages;
const userMessage = (...content: object[]) => messagesOf({ role: 'user', content });

function refusalOf(more: object): GatewayError {
  try {
    translated(more);
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown;
    throw thrown;
  }
  throw new Error('it was not refused');
}

describe('the settings of a request', () => {
  it('settings of Responses become those of Chat Completions, and a stream asks for its usage', () => {
    const more = {
      stream: true,
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 100,
      frequency_penalty: 1,
      presence_penalty: -1,
      text: { verbosity: 'low' },
      reasoning: { effort: 'high', summary: 'auto' },
    };
    expect(translated(more)).toEqual({
      request: {
        model: 'acme/small',
        messages: HELLO,
        max_completion_tokens: 100,
        stream: true,
        stream_options: { include_usage: true },
        temperature: 0.5,
        top_p: 0.9,
        frequency_penalty: 1,
        presence_penalty: -1,
        verbosity: 'low',
        reasoning_effort: 'high',
      },
      ignored: [],
    });
  });

  it('the converted request never asks for more than the model can write', () => {
    const { request } = translated(
      { max_output_tokens: 32_000 },
      { id: 'acme/small', maxOutputTokens: 8_192 },
    );
    expect(request.max_completion_tokens).toBe(8_192);
  });

  it('settings that are null, or ask for nothing, are left out', () => {
    const absent = { instructions: null, tools: [], include: null, previous_response_id: null, prompt: null };
    const usual = {
      tool_choice: 'auto',
      parallel_tool_calls: true,
      truncation: 'disabled',
      service_tier: 'auto',
      background: false,
      store: false,
      top_logprobs: 0,
      metadata: {},
      frequency_penalty: 0,
      presence_penalty: 0,
      stream: false,
      stream_options: { include_obfuscation: false },
      include: ['reasoning.encrypted_content'],
      text: { format: { type: 'text' }, verbosity: 'medium' },
      reasoning: { effort: null, summary: null },
    };
    expect(translated({ ...absent, ...usual })).toEqual(translated({}));
  });

  it('a request for JSON is converted, with a schema or without', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } };
    const asked = (format: object) => translated({ text: { format } }).request.response_format;
    expect(asked({ type: 'json_object' })).toEqual({ type: 'json_object' });
    expect(asked({ type: 'json_schema', name: 'n', description: 'd', schema, strict: true })).toEqual({
      type: 'json_schema',
      json_schema: { name: 'n', description: 'd', schema, strict: true },
    });
    expect(asked({ type: 'json_schema', schema })).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema },
    });
  });

  it('every model can serve a recorded request of Codex', () => {
    const tools = [
      {
        type: 'function',
        name: 'exec_command',
        description: 'runs',
        strict: false,
        parameters: { type: 'object' },
      },
      {
        type: 'custom',
        name: 'apply_patch',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
      },
      {
        type: 'namespace',
        name: 'multi_agent_v1',
        description: 'Agents.',
        tools: [{ type: 'function', name: 'spawn', parameters: { type: 'object' } }],
      },
      { type: 'web_search', external_web_access: false },
    ];
    const { ignored, request } = translated({
      instructions: 'You are Codex.',
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rules.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Env.' }] },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Do it.' }] },
        {
          type: 'message',
          role: 'assistant',
          phase: 'commentary',
          content: [{ type: 'output_text', text: 'Yes.' }],
        },
        {
          type: 'custom_tool_call',
          status: 'completed',
          call_id: 'c',
          name: 'apply_patch',
          input: '*** Begin',
        },
        { type: 'custom_tool_call_output', call_id: 'c', output: 'Done!' },
      ],
      tools,
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'medium', summary: 'auto' },
      store: false,
      stream: true,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      client_metadata: { a: 'b' },
    });
    expect(ignored.toSorted()).toEqual(['client_metadata', 'input[message].phase', 'tools[web_search]']);
    expect(request.messages).toEqual([
      { role: 'system', content: 'You are Codex.\n\nRules.' },
      { role: 'user', content: 'Env.\n\nDo it.' },
      {
        role: 'assistant',
        content: 'Yes.',
        tool_calls: [
          {
            id: 'c',
            type: 'function',
            function: { name: 'apply_patch', arguments: '{"input":"*** Begin"}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: 'Done!' },
    ]);
    const input = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
    expect(request.tools).toEqual([
      {
        type: 'function',
        function: {
          name: 'exec_command',
          description: 'runs',
          parameters: { type: 'object' },
          strict: false,
        },
      },
      {
        type: 'function',
        function: {
          name: 'apply_patch',
          description: expect.stringContaining('start: "a"'),
          parameters: { ...input, additionalProperties: false },
        },
      },
      {
        type: 'function',
        function: { name: 'multi_agent_v1__spawn', description: 'Agents.', parameters: { type: 'object' } },
      },
    ]);
  });
});

describe('the items of a request', () => {
  it('the input may be one text, which comes after the instructions', () => {
    expect(translated({ instructions: 'Be brief.' }).request.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      ...HELLO,
    ]);
  });

  it('messages are read with and without a type', () => {
    expect(
      messagesOf(
        { role: 'developer', content: 'Be kind.' },
        {
          type: 'message',
          role: 'user',
          content: [{ type: 'input_text', text: 'a' }],
          id: 'msg_1',
          status: 'completed',
        },
        { role: 'assistant', content: 'b' },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'c', annotations: [], logprobs: [] },
            { type: 'refusal', refusal: 'd' },
          ],
        },
        { role: 'system', content: 'Now stop.' },
        { role: 'user', content: 'e' },
      ),
    ).toEqual([
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b\n\ncd' },
      { role: 'system', content: 'Now stop.' },
      { role: 'user', content: 'e' },
    ]);
  });

  it('pictures, files and recordings are converted', () => {
    const input_audio = { data: 'AAAA', format: 'wav' };
    expect(
      userMessage(
        { type: 'input_text', text: 'See:' },
        { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'high', file_id: null },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' },
        { type: 'input_file', file_data: 'JVBERi0xLjQ=' },
        { type: 'input_audio', input_audio },
      ),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See:' },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'high' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
          {
            type: 'file',
            file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' },
          },
          { type: 'input_audio', input_audio },
        ],
      },
    ]);
  });

  const call = (id: string) => ({
    type: 'function_call',
    call_id: id,
    name: 'look',
    arguments: `{"at":"${id}"}`,
  });
  const called = (id: string) => ({
    id,
    type: 'function',
    function: { name: 'look', arguments: `{"at":"${id}"}` },
  });

  it('tool results come right behind their calls, whatever is said in between', () => {
    const picture = { type: 'input_image', image_url: 'https://example.com/a.png' };
    expect(
      messagesOf(
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: 'I look.' },
        call('a'),
        call('b'),
        { role: 'developer', content: 'It is late.' },
        {
          type: 'function_call_output',
          call_id: 'a',
          output: [{ type: 'input_text', text: 'seen' }, picture],
        },
        { role: 'user', content: 'Go on.' },
        { type: 'function_call_output', call_id: 'b', output: 'no light' },
      ),
    ).toEqual([
      { role: 'user', content: 'Look.' },
      { role: 'assistant', content: 'I look.', tool_calls: [called('a'), called('b')] },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: 'seen\n\nIts pictures and files follow in the next message.',
      },
      { role: 'tool', tool_call_id: 'b', content: 'no light' },
      { role: 'system', content: 'It is late.' },
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

  it('consecutive calls each keep their own result', () => {
    const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: id });
    expect(messagesOf(...HELLO, call('a'), output('a'), call('b'), output('b'))).toEqual([
      ...HELLO,
      { role: 'assistant', content: null, tool_calls: [called('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'a' },
      { role: 'assistant', content: null, tool_calls: [called('b')] },
      { role: 'tool', tool_call_id: 'b', content: 'b' },
    ]);
  });

  it('state that the provider wants back is given back byte for byte', () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm.', signature: 'EuYB+/=\u00e9', format: 'anthropic-claude-v1' },
      { type: 'reasoning.encrypted', data: 'xyz', format: 'anthropic-claude-v1' },
    ];
    const extra_content = { google: { thought_signature: 's' } };
    const reasoning = (encrypted_content: string) => ({
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      encrypted_content,
    });
    expect(
      messagesOf(
        ...HELLO,
        reasoning(writeEncryptedContent({ field: 'reasoning_content', text: 'Hm.', details })),
        reasoning(writeEncryptedContent({ calls: [{ id: 'a', extra_content }] })),
        call('a'),
        { type: 'function_call_output', call_id: 'a', output: '' },
        reasoning(writeEncryptedContent({ field: 'reasoning', text: 'So.' })),
        { role: 'assistant', content: 'Yes.' },
      ),
    ).toEqual([
      ...HELLO,
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'Hm.',
        reasoning_details: details,
        tool_calls: [{ ...called('a'), extra_content }],
      },
      { role: 'tool', tool_call_id: 'a', content: '' },
      { role: 'assistant', content: 'Yes.', reasoning: 'So.' },
    ]);
  });

  it('readable reasoning is carried when another provider encrypted the rest', () => {
    const item = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'First.' },
        { type: 'summary_text', text: 'Then.' },
      ],
      encrypted_content: 'gAAAAABo',
    };
    const { ignored, request } = translated({ input: [...HELLO, item, { role: 'assistant', content: 'a' }] });
    expect(request.messages).toEqual([
      ...HELLO,
      { role: 'assistant', content: 'a', reasoning_content: 'First.\n\nThen.' },
    ]);
    expect(ignored).toEqual(['input[reasoning].encrypted_content']);
    const open = { ...item, content: [{ type: 'reasoning_text', text: 'All of it.' }] };
    expect(messagesOf(...HELLO, open)).toContainEqual({
      role: 'assistant',
      content: '',
      reasoning_content: 'All of it.',
    });
  });

  it('items that say nothing become no message', () => {
    const silent = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAABo' };
    const empty = { role: 'user', content: [] };
    expect(messagesOf(silent, { role: 'assistant', content: [] }, empty, ...HELLO)).toEqual(HELLO);
  });
});

describe('tools of a Responses request', () => {
  const add = { type: 'function', name: 'add', parameters: { type: 'object' } };
  const patch = { type: 'custom', name: 'patch' };
  const crm = {
    type: 'namespace',
    name: 'crm',
    description: 'Customers.',
    tools: [add, { ...patch, description: 'p' }],
  };
  const namesIn = (tools: unknown) =>
    JSON.parse(JSON.stringify(tools)).map((tool: { function: { name: string } }) => tool.function.name);

  it.each<[string, object]>([
    ['auto', { tool_choice: 'auto' }],
    ['none', { tool_choice: 'none' }],
    ['required', { tool_choice: 'required' }],
    ['one call at a time', { parallel_tool_calls: false }],
  ])('a tool choice of Responses is converted: %s', (_name, settings) => {
    expect(translated({ tools: [add], ...settings }).request).toMatchObject(settings);
  });

  it.each<[string, object, string]>([
    ['a function', { type: 'function', name: 'add' }, 'add'],
    ['a custom tool', { type: 'custom', name: 'patch' }, 'patch'],
    ['a tool of a namespace', { type: 'function', name: 'add', namespace: 'crm' }, 'crm__add'],
  ])('a demanded tool is chosen by its name: %s', (_name, tool_choice, name) => {
    const { ignored, request } = translated({ tools: [add, patch, crm], tool_choice });
    expect(request.tool_choice).toEqual({ type: 'function', function: { name } });
    expect(ignored).toEqual([]);
  });

  it('only the allowed tools are offered', () => {
    const allowed = [
      { type: 'function', name: 'add', namespace: 'crm' },
      { type: 'custom', name: 'patch' },
      { type: 'web_search' },
    ];
    const asked = (mode: string, tools: object[]) =>
      translated({ tools: [add, patch, crm], tool_choice: { type: 'allowed_tools', mode, tools } });
    const { ignored, request } = asked('auto', allowed);
    expect(namesIn(request.tools)).toEqual(['patch', 'crm__add']);
    expect(request.tool_choice).toBe('auto');
    expect(ignored).toEqual(['tools[web_search]']);
    expect(asked('required', allowed.slice(0, 2)).request.tool_choice).toBe('required');
  });

  it('tools in namespaces get names of their own, also in earlier turns', () => {
    const { ignored, request } = translated({
      tools: [crm, add],
      input: [
        { type: 'function_call', call_id: 'a', name: 'add', namespace: 'crm', arguments: '' },
        { type: 'function_call_output', call_id: 'a', output: 'x' },
      ],
    });
    expect(request.tools).toMatchObject([
      { function: { name: 'crm__add', description: 'Customers.' } },
      { function: { name: 'crm__patch', description: expect.stringMatching(/^p\n\n/) } },
      { function: { name: 'add' } },
    ]);
    expect(request.messages).toMatchObject([
      { tool_calls: [{ function: { name: 'crm__add', arguments: '{}' } }] },
      { role: 'tool' },
    ]);
    expect(ignored).toEqual([]);
  });

  it('tools of input items are offered too, and the last of one name counts', () => {
    const added = { type: 'additional_tools', id: 'at_1', role: 'developer' };
    const { ignored, request } = translated({
      tools: [add],
      input: [
        { ...added, tools: [crm, { type: 'web_search' }] },
        ...HELLO,
        { ...added, tools: [{ ...add, description: 'anew' }] },
      ],
    });
    expect(request.messages).toEqual(HELLO);
    expect(namesIn(request.tools)).toEqual(['add', 'crm__add', 'crm__patch']);
    expect(request.tools).toMatchObject([{ function: { description: 'anew' } }, {}, {}]);
    expect(ignored).toEqual(['tools[web_search]']);
    const twice = refusalOf({ input: [...HELLO, { ...added, tools: [add, add] }] });
    expect(twice.param).toBe('input[1].tools[1].name');
  });

  it.each([
    'web_search',
    'web_search_2025_08_26',
    'web_search_preview_2025_03_11',
    'file_search',
    'code_interpreter',
    'image_generation',
    'mcp',
    'computer_use_preview',
    'computer',
    'tool_search',
  ])('a tool that a provider would run is left out by name, and refused where it is demanded: %s', (type) => {
    const tools = [{ type, server_label: 'a' }, add];
    const { ignored, request } = translated({ tools, tool_choice: 'auto' });
    expect(ignored).toEqual([`tools[${type.replace(/_\d{4}_\d\d_\d\d$/, '')}]`]);
    expect(namesIn(request.tools)).toEqual(['add']);
    for (const tool_choice of [
      { type },
      { type: 'allowed_tools', mode: 'required', tools: [{ type }, { type: 'function', name: 'add' }] },
    ]) {
      const refusal = refusalOf({ tools, tool_choice });
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', param: 'tool_choice' });
      expect(refusal.message).toContain('acme/small');
    }
    expect(refusalOf({ tools: [{ type }], tool_choice: 'required' })).toMatchObject({ param: 'tool_choice' });
    expect(translated({ tools: [{ type }], tool_choice: 'auto' }).request).toEqual(translated({}).request);
  });

  it('a shell of the provider is allowed, and a shell of the caller is not', () => {
    const shell = (type: string) => ({ tools: [{ type: 'shell', environment: { type } }] });
    expect(translated(shell('container_auto')).ignored).toEqual(['tools[shell]']);
    expect(refusalOf(shell('local'))).toMatchObject({ param: 'tools[0].type' });
  });

  it.each<[string, object, string]>([
    ['two of one name', { tools: [add, patch, { ...patch, name: 'add' }] }, 'tools[2].name'],
    ['a group in a group', { tools: [{ ...crm, tools: [crm] }] }, 'tools[0].tools[0].type'],
    [
      'one that is not there',
      { tools: [add], tool_choice: { type: 'function', name: 'sub' } },
      'tool_choice.name',
    ],
    [
      'one of another group',
      { tools: [add], tool_choice: { type: 'function', name: 'add', namespace: 'crm' } },
      'tool_choice.name',
    ],
    ['none to choose from', { tool_choice: 'required' }, 'tool_choice'],
    ['another mode', { tools: [add], tool_choice: 'any' }, 'tool_choice'],
    ['another choice', { tools: [add], tool_choice: { type: 'robot' } }, 'tool_choice.type'],
    ['another format', { tools: [{ ...patch, format: { type: 'python' } }] }, 'tools[0].format.type'],
    ['too many', { tools: Array.from({ length: 1_025 }, (_, i) => ({ ...add, name: `f${i}` })) }, 'tools'],
  ])('a broken tool or tool choice is refused: %s', (_name, more, param) => {
    expect(refusalOf(more)).toMatchObject({ status: 400, code: 'invalid_request', param });
  });
});

describe('stored state', () => {
  it.each<[string, object, string]>([
    ['an earlier response', { previous_response_id: 'resp_1' }, 'previous_response_id'],
    ['a conversation', { conversation: 'conv_1' }, 'conversation'],
    ['an item', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].type'],
    ['an item without a type', { input: [...HELLO, { id: 'msg_1' }] }, 'input[1].type'],
    ['an answer that nobody waits for', { background: true }, 'background'],
  ])(
    'a request that continues stored state is refused, and the error says what to send: %s',
    (_name, more, param) => {
      const refusal = refusalOf(more);
      expect(refusal).toMatchObject({ status: 400, code: 'invalid_request', param });
      expect(refusal.message).toContain('`store: false`');
      expect(refusal.message).toContain('acme/small');
    },
  );

  it('the field store is named as ignored', () => {
    expect(translated({ store: true }).ignored).toEqual(['store']);
  });
});

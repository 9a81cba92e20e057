import { GatewayError } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { CHAT_TO_ANTHROPIC } from '../../providers/anthropic/convert-chat-to-anthropic.ts';
import { writeTranslated } from '../../translation/write-translated.ts';
import { RESPONSES_TO_CHAT } from '../caller-translations.ts';
import { writeEncryptedContent } from './responses-carried-reasoning.ts';

const MODEL = { id: 'acme/small', maxOutputTokens: undefined, upstreamModel: 'claude-sonnet-4-5' };
const MANY = 200_000;

/** Returns the request that a provider of Messages gets, after both translations. */
function written(more: object) {
  const chunks = [Buffer.from(JSON.stringify({ model: 'acme/small', input: 'hello', ...more }))];
  return writeTranslated(chunks, [RESPONSES_TO_CHAT, CHAT_TO_ANTHROPIC], MODEL);
}

const refused = (param: string) => expect.objectContaining({ status: 400, code: 'invalid_request', param });
const manyOf = (make: (index: number) => object | object[]) =>
  Array.from({ length: MANY }, (_, index) => make(index)).flat();

describe('a request with two hundred thousand', () => {
  const output = (index: number) => ({ type: 'function_call_output', call_id: `c${index}`, output: 'x' });
  const call = (index: number) => ({
    type: 'function_call',
    call_id: `c${index}`,
    name: 'f',
    arguments: '{}',
  });

  it.each<[string, () => object]>([
    ['messages of the user', () => ({ input: manyOf(() => ({ role: 'user', content: 'a' })) })],
    [
      'messages by turns',
      () => ({ input: manyOf((i) => ({ role: i % 2 ? 'assistant' : 'user', content: 'a' })) }),
    ],
    ['instructions', () => ({ input: manyOf(() => ({ role: 'developer', content: 'a' })) })],
    [
      'parts',
      () => ({ input: [{ role: 'user', content: manyOf(() => ({ type: 'input_text', text: 'a' })) }] }),
    ],
    [
      'pictures',
      () => ({
        input: manyOf(() => ({
          role: 'user',
          content: [{ type: 'input_image', image_url: 'https://a.example' }],
        })),
      }),
    ],
    ['calls, then their results', () => ({ input: [...manyOf(call), ...manyOf(output)] })],
    ['calls, each with its result', () => ({ input: manyOf((i) => [call(i), output(i)]) })],
    [
      'reasonings',
      () => ({
        input: [
          { role: 'user', content: 'a' },
          ...manyOf((i) => ({
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: 'a' }],
            encrypted_content:
              i % 2 ? 'foreign' : writeEncryptedContent({ calls: [{ id: `c${i}`, extra_content: {} }] }),
          })),
          { role: 'assistant', content: 'b' },
          { role: 'user', content: 'c' },
        ],
      }),
    ],
    ['tools of the provider', () => ({ tools: manyOf(() => ({ type: 'web_search' })) })],
    [
      'things to include',
      () => ({ include: manyOf(() => []).concat(Array.from({ length: MANY }, () => 'a')) }),
    ],
    [
      'fields that nobody knows',
      () => Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`x${i}`, i])),
    ],
  ])('a request with two hundred thousand %s is translated', (_name, more) => {
    const { ignored, json } = written(more());
    expect(json.byteLength).toBeGreaterThan(10);
    expect(ignored.length).toBeLessThan(50);
  });

  it.each<[string, () => object, string]>([
    ['tools', () => ({ tools: manyOf((i) => ({ type: 'function', name: `f${i}` })) }), 'tools'],
    [
      'tools in groups',
      () => ({
        tools: manyOf((i) => ({ type: 'namespace', name: `n${i}`, tools: [{ type: 'custom', name: 'f' }] })),
      }),
      'tools',
    ],
    [
      'tools of one name',
      () => ({ tools: manyOf(() => ({ type: 'function', name: 'f' })) }),
      'tools[1].name',
    ],
    [
      'tools to choose from',
      () => ({
        tools: [{ type: 'function', name: 'f' }],
        tool_choice: {
          type: 'allowed_tools',
          tools: manyOf((i) => ({ type: 'function', name: i ? 'g' : 'f' })),
        },
      }),
      'tool_choice.tools[1].name',
    ],
  ])('a request with two hundred thousand %s is refused', (_name, more, param) => {
    expect(() => written(more())).toThrow(refused(param));
  });
});

describe('deeply nested JSON inside a string', () => {
  const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

  it.each([1_000, 100_000, 3_000_000])(
    'JSON text that nests too deeply is refused where it must be parsed: %i levels',
    (depth) => {
      const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: nested(depth) };
      const output = { type: 'function_call_output', call_id: 'c', output: 'x' };
      const attempt = () => written({ input: [{ role: 'user', content: 'a' }, call, output] });
      expect(attempt).toThrow(refused('input[1].arguments'));
      const encrypted_content = `kept-by-model-gateway.${Buffer.from(nested(depth)).toString('base64url')}`;
      const { ignored } = written({
        input: [
          { role: 'user', content: 'a' },
          { type: 'reasoning', summary: [], encrypted_content },
        ],
      });
      expect(ignored).toEqual(['input[reasoning].encrypted_content']);
    },
  );
});

/** Something of every kind that JSON has. */
const KINDS: readonly unknown[] = [7, true, 'a', '', [], [7], [null], {}, { type: 7 }, { type: 'a' }];
const TOP_LEVEL = [
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'include',
  'stream_options',
  'temperature',
  'top_p',
  'max_output_tokens',
  'frequency_penalty',
  'background',
  'conversation',
  'prompt',
  'store',
  'truncation',
  'metadata',
];
const ITEMS: readonly { type: string; [member: string]: unknown }[] = [
  { type: 'message', role: 'user', content: 'a', phase: 'b', id: 'c' },
  { type: 'message', role: 'assistant', content: [] },
  { type: 'function_call', call_id: 'a', name: 'b', namespace: 'c', arguments: '{}' },
  { type: 'function_call_output', call_id: 'a', output: 'b' },
  { type: 'custom_tool_call', call_id: 'a', name: 'b', namespace: 'c', input: 'd' },
  { type: 'custom_tool_call_output', call_id: 'a', output: 'b' },
  { type: 'reasoning', summary: [], content: [], encrypted_content: 'a' },
  { type: 'item_reference', id: 'a' },
];
const PARTS: readonly { type: string; [member: string]: unknown }[] = [
  { type: 'input_text', text: 'a' },
  { type: 'output_text', text: 'a', annotations: [] },
  { type: 'refusal', refusal: 'a' },
  { type: 'input_image', image_url: 'a', detail: 'b', file_id: 'c' },
  { type: 'input_file', file_data: 'data:a', filename: 'b', file_url: 'c' },
  { type: 'input_audio', input_audio: {} },
];
const TOOLS: readonly { type: string; [member: string]: unknown }[] = [
  { type: 'function', name: 'a', description: 'b', parameters: {}, strict: true },
  { type: 'custom', name: 'a', description: 'b', format: { type: 'text' } },
  { type: 'namespace', name: 'a', description: 'b', tools: [] },
  { type: 'shell', environment: {} },
];

/** Each with one member, each time another one, that is of each kind. */
function wrong(objects: readonly object[], within: (object: object) => object): object[] {
  return objects.flatMap((object) =>
    ['type', ...Object.keys(object)].flatMap((member) =>
      KINDS.map((kind) => within({ ...object, [member]: kind })),
    ),
  );
}

describe('a value of the wrong type', () => {
  const cases: [string, object[]][] = [
    ['at the top', TOP_LEVEL.flatMap((name) => KINDS.map((kind) => ({ [name]: kind })))],
    ['in an item', wrong(ITEMS, (item) => ({ input: [item, { role: 'user', content: 'a' }] }))],
    ['in a part', wrong(PARTS, (part) => ({ input: [{ role: 'user', content: [part] }] }))],
    ['in a tool', wrong(TOOLS, (tool) => ({ tools: [tool] }))],
    [
      'in a group of tools',
      wrong(TOOLS, (tool) => ({ tools: [{ type: 'namespace', name: 'n', tools: [tool] }] })),
    ],
    [
      'in a choice',
      wrong(
        [
          { type: 'function', name: 'a', namespace: 'b' },
          { type: 'allowed_tools', mode: 'auto', tools: [] },
        ],
        (tool_choice) => ({
          tools: [{ type: 'function', name: 'a' }],
          tool_choice,
        }),
      ),
    ],
    [
      'in a format',
      wrong([{ type: 'json_schema', name: 'a', schema: {}, strict: true, description: 'b' }], (format) => ({
        text: { format },
      })),
    ],
  ];

  it.each(cases)('a value of the wrong kind is refused with its path, or harmless: %s', (_name, requests) => {
    for (const request of requests) {
      const [top = ''] = Object.keys(request);
      try {
        written(request);
      } catch (thrown) {
        if (!(thrown instanceof GatewayError)) throw new Error(JSON.stringify(request), { cause: thrown });
        expect(thrown, JSON.stringify(request)).toMatchObject({ status: 400, code: 'invalid_request' });
        expect(thrown.param, JSON.stringify(request)).toMatch(/^[a-z]/);
        expect(thrown.param?.length, top).toBeLessThan(100);
      }
    }
  });
});

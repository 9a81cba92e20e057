import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { convertMessagesToChat } from '../../callers/messages/convert-messages-to-chat.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { convertChatToAnthropic } from './convert-chat-to-anthropic.ts';

const MODEL = { id: 'anthropic/claude', maxOutputTokens: 64_000 };
const UPSTREAM_MODELS = [
  'claude-3-5-haiku-20241022',
  'claude-sonnet-4-5-20250929',
  'claude-opus-4-6',
  'claude-opus-5',
  'claude-preview',
  'some-model',
];

/* Any valid request of Chat Completions. */

const text = fc.oneof(
  fc.string({ maxLength: 20, unit: 'grapheme' }),
  fc.constantFrom('', ' ', '\n\t', 'so \n', ' é', '\u2028', '{"a":1}'),
);
const visible = fc.string({ minLength: 1, maxLength: 20 }).filter((value) => value.trim() !== '');
const data = fc
  .uint8Array({ minLength: 1, maxLength: 9 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));
const name = fc.string({ unit: fc.constantFrom(...'abcdeXYZ019_-'), minLength: 1, maxLength: 12 });
const mark = fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' });
const textPart = fc.record(
  { type: fc.constant('text'), text, cache_control: mark },
  { requiredKeys: ['type', 'text'] },
);
const picture = fc
  .oneof(
    fc.webUrl(),
    data.map((value) => `data:image/png;base64,${value}`),
  )
  .map((url) => ({ type: 'image_url', image_url: { url } }));
const file = fc.record({
  type: fc.constant('file'),
  file: fc.record({
    filename: visible,
    file_data: data.map((value) => `data:application/pdf;base64,${value}`),
  }),
});
const system = fc.record({
  role: fc.constantFrom('system', 'developer'),
  content: fc.oneof(text, fc.array(textPart, { maxLength: 3 })),
});
const user = fc.record({
  role: fc.constant('user'),
  content: fc.oneof(text, fc.array(fc.oneof(textPart, picture, file), { maxLength: 3 })),
});
const thought = fc.oneof(
  fc.record({
    type: fc.constant('reasoning.text'),
    text,
    signature: data,
    format: fc.constant('anthropic-claude-v1'),
  }),
  fc.record({ type: fc.constant('reasoning.encrypted'), data, format: fc.constant('anthropic-claude-v1') }),
);
const input = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const call = fc.record({
  id: fc.oneof(name, fc.constantFrom('call_0', 'functions.find:0', 'a b')),
  type: fc.constant('function'),
  function: fc.record({
    name,
    arguments: fc.oneof(
      input.map((value) => JSON.stringify(value)),
      fc.constant(''),
    ),
  }),
});
const reply = fc.record(
  {
    role: fc.constant('assistant'),
    content: text,
    refusal: text,
    reasoning_details: fc.array(thought, { maxLength: 2 }),
  },
  { requiredKeys: ['role', 'content'] },
);
const result = fc.oneof(text, fc.array(textPart, { maxLength: 2 }));

/** @param media true if tools may return more than text */
function turnOf(media: boolean) {
  const content = media ? fc.oneof(result, fc.array(picture, { maxLength: 2 })) : result;
  const calling = fc
    .tuple(
      reply,
      fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
      fc.array(fc.tuple(content, fc.integer()), { minLength: 3, maxLength: 3 }),
    )
    .map(([message, tool_calls, contents]): JsonObject[] => {
      const results = tool_calls.map(({ id }, index) => {
        const [said, order] = contents[index] ?? ['', 0];
        return { order, message: { role: 'tool', tool_call_id: id, content: said } };
      });
      results.sort((one, other) => one.order - other.order);
      return [{ ...message, tool_calls }, ...results.map(({ message: told }) => told)];
    });
  return fc.oneof(
    user.map((message): JsonObject[] => [message]),
    reply.map((message): JsonObject[] => [message]),
    system.map((message): JsonObject[] => [message]),
    calling,
  );
}

const schema = fc.constantFrom(
  { type: 'object', properties: {}, additionalProperties: false },
  { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false },
);
const tool = fc.record({
  type: fc.constant('function'),
  function: fc.record({ name, description: visible, parameters: schema }),
});
const options = fc.record(
  {
    max_tokens: fc.integer({ min: 1, max: 9_000 }),
    max_completion_tokens: fc.integer({ min: 1, max: 9_000 }),
    temperature: fc.double({ min: 0, max: 2, noNaN: true }),
    top_p: fc.double({ min: 0, max: 1, noNaN: true }),
    stop: fc.oneof(text, fc.array(text, { maxLength: 4 })),
    stream: fc.boolean(),
    reasoning_effort: fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
    response_format: fc.oneof(
      fc.constantFrom({ type: 'text' }, { type: 'json_object' }),
      schema.map((value) => ({ type: 'json_schema', json_schema: { name: 'x', schema: value } })),
    ),
    parallel_tool_calls: fc.boolean(),
    seed: fc.integer(),
    user: fc.string(),
    n: fc.constant(1),
    logit_bias: fc.constant({}),
    presence_penalty: fc.double({ min: -2, max: 2, noNaN: true }),
    metadata: fc.dictionary(name, fc.string()),
    whatever: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const choosing = fc
  .uniqueArray(tool, { maxLength: 3, selector: ({ function: { name: own } }) => own })
  .chain((tools) => {
    const named = tools.map(({ function: { name: own } }) => ({ type: 'function', function: { name: own } }));
    if (tools.length === 0) return fc.constant<JsonObject>({});
    return fc
      .constantFrom<unknown>(undefined, 'auto', 'none', 'required', ...named)
      .map((tool_choice): JsonObject => (tool_choice === undefined ? { tools } : { tools, tool_choice }));
  });

function requestOf(media: boolean) {
  return fc
    .tuple(user, fc.array(turnOf(media), { maxLength: 5 }), options, choosing, fc.nat(3))
    .map(([first, turns, rest, tools, from]): JsonObject => {
      const messages = [first, ...turns.flat()];
      // Often it does not begin with the user.
      const isWhole = from < 3 || turns.length === 0;
      return { model: 'x', messages: isWhole ? messages : messages.slice(1), ...rest, ...tools };
    });
}

/* What Anthropic takes, written down apart from the translator. */

const cacheable = { cache_control: z.looseObject({ type: z.literal('ephemeral') }).optional() };
const plain = z.string().regex(/\S/);
const textBlock = z.strictObject({ type: z.literal('text'), text: plain, ...cacheable });
const source = z.union([
  z.strictObject({ type: z.literal('base64'), media_type: z.string(), data: z.base64().min(1) }),
  z.strictObject({ type: z.literal('url'), url: z.url() }),
]);
const image = z.strictObject({ type: z.literal('image'), source, ...cacheable });
const document = z.strictObject({
  type: z.literal('document'),
  source,
  title: z.string().optional(),
  ...cacheable,
});
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([plain, z.array(z.union([textBlock, image, document])).min(1)]).optional(),
  is_error: z.boolean().optional(),
  ...cacheable,
});
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[\w-]+$/),
  name: z.string().regex(/^[\w-]{1,128}$/),
  input: z.record(z.string(), z.unknown()),
  ...cacheable,
});
const thinking = z.strictObject({
  type: z.literal('thinking'),
  thinking: z.string(),
  signature: z.string().min(1),
});
const redacted = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string().min(1) });
const userTurn = z.strictObject({
  role: z.literal('user'),
  content: z.union([plain, z.array(z.union([textBlock, image, document, toolResult])).min(1)]),
});
const assistantTurn = z.strictObject({
  role: z.literal('assistant'),
  content: z.union([plain, z.array(z.union([textBlock, toolUse, thinking, redacted])).min(1)]),
});
const single = { disable_parallel_tool_use: z.literal(true).optional() };
const valid = z.strictObject({
  max_tokens: z.int().min(1),
  system: z.union([plain, z.array(textBlock).min(1)]).optional(),
  messages: z.array(z.union([userTurn, assistantTurn])).min(1),
  tools: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[\w-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
        ...cacheable,
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z
    .union([
      z.strictObject({ type: z.enum(['auto', 'any']), ...single }),
      z.strictObject({ type: z.literal('tool'), name: z.string(), ...single }),
      z.strictObject({ type: z.literal('none') }),
    ])
    .optional(),
  thinking: z
    .union([
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1_024) }),
      z.strictObject({ type: z.literal('adaptive'), display: z.literal('summarized') }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).optional(),
      format: z.strictObject({ type: z.literal('json_schema'), schema: z.looseObject({}) }).optional(),
    })
    .optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  stop_sequences: z.array(plain).min(1).optional(),
  stream: z.literal(true).optional(),
});
type Valid = z.infer<typeof valid>;

function blocksOf({ content }: Valid['messages'][number]) {
  return typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
}

/** Returns mistakes that Anthropic would refuse beyond the members of a request. */
function mistakesIn(request: Valid): string[] {
  const { max_tokens, messages, temperature, thinking: asked, tool_choice, tools, top_p } = request;
  const mistakes: string[] = [];
  const ids = new Set<string>();
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== (index % 2 === 0 ? 'user' : 'assistant')) mistakes.push('roles do not alternate');
    const blocks = blocksOf(message);
    const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
    if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result')) {
      mistakes.push('a result is not at the start');
    }
    if ([...results].sort().join() !== [...open].sort().join())
      mistakes.push('calls and results do not match');
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    for (const id of open) {
      if (ids.has(id)) mistakes.push('an id is there twice');
      ids.add(id);
    }
  }
  if (open.length > 0) mistakes.push('a call has no result');
  const last = messages.at(-1);
  const end = last === undefined ? undefined : blocksOf(last).at(-1);
  if (last?.role === 'assistant') {
    if (end?.type === 'text' && /\s$/.test(end.text)) mistakes.push('it ends in white space');
    if (end?.type === 'thinking' || end?.type === 'redacted_thinking') mistakes.push('it ends in thinking');
  }
  if (tool_choice !== undefined && tools === undefined) mistakes.push('a choice without tools');
  if (asked === undefined) return mistakes;
  if (asked.type === 'enabled' && asked.budget_tokens >= max_tokens) mistakes.push('the budget is too large');
  if (temperature !== undefined && temperature !== 1) mistakes.push('a temperature with thinking');
  if (top_p !== undefined && top_p < 0.95) mistakes.push('a top_p with thinking');
  if (tool_choice?.type === 'any' || tool_choice?.type === 'tool')
    mistakes.push('a forced tool with thinking');
  if (last?.role === 'assistant') mistakes.push('an answer is begun with thinking');
  if (
    asked.type === 'enabled' &&
    end !== undefined &&
    last !== undefined &&
    blocksOf(last)[0]?.type === 'tool_result'
  ) {
    const before = messages.at(-2);
    const first = before === undefined ? undefined : blocksOf(before)[0]?.type;
    if (first !== 'thinking' && first !== 'redacted_thinking') mistakes.push('calls without their thinking');
  }
  return mistakes;
}

describe('any valid Chat Completions request', () => {
  it('becomes a valid Messages request', () => {
    fc.assert(
      fc.property(requestOf(true), fc.constantFrom(...UPSTREAM_MODELS), (request, upstreamModel) => {
        let translated: JsonObject;
        try {
          translated = convertChatToAnthropic(request, MODEL, upstreamModel).request;
        } catch (thrown) {
          // Only a conversation without any text has no place in Messages.
          expect(thrown).toMatchObject({ code: 'invalid_request', param: 'messages' });
          expect(meaningOf(request).said).toEqual([]);
          return;
        }
        expect(mistakesIn(valid.parse(translated))).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps its meaning when it is converted to Messages and back', () => {
    fc.assert(
      fc.property(requestOf(false), (request) => {
        fc.pre(meaningOf(request).said[0]?.role === 'user');
        const { request: there } = convertChatToAnthropic(request, MODEL, 'claude-3-5-haiku-20241022');
        const { request: back } = convertMessagesToChat({ ...there, model: 'x' }, MODEL);
        expect(meaningOf(back)).toEqual(meaningOf(request));
      }),
      { numRuns: 1_000 },
    );
  });
});

/* What a request means, however it is divided into messages and parts. */

const chatPart = z.looseObject({
  type: z.string(),
  text: z.string().default(''),
  refusal: z.string().default(''),
  image_url: z.object({ url: z.string() }).optional(),
  file: z.object({ file_data: z.string(), filename: z.string() }).optional(),
});
const chatMessage = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(chatPart)]).nullish(),
  refusal: z.string().nullish(),
  tool_call_id: z.string().optional(),
  tool_calls: z
    .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .optional(),
  reasoning_details: z
    .array(z.looseObject({ signature: z.string().optional(), data: z.string().optional() }))
    .optional(),
});
const chatRequest = z.looseObject({
  messages: z.array(chatMessage),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  stop: z.union([z.string(), z.array(z.string())]).optional(),
  stream: z.boolean().optional(),
  tools: z
    .array(
      z.object({
        function: z.looseObject({ name: z.string(), description: z.string(), parameters: z.unknown() }),
      }),
    )
    .optional(),
  tool_choice: z.unknown().optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: z
    .looseObject({ json_schema: z.looseObject({ schema: z.unknown() }).optional() })
    .optional(),
});

interface Said {
  role: string;
  text: string;
  media: string[];
  calls: unknown[];
  thoughts: unknown[];
}

function meaningOf(request: JsonObject) {
  const read = chatRequest.parse(request);
  const { max_completion_tokens, max_tokens, response_format, stop, stream, temperature, tools } = read;
  const stops = typeof stop === 'string' ? [stop] : (stop ?? []);
  const hasTools = tools !== undefined && tools.length > 0;
  return {
    ...conversationIn(read.messages),
    maxTokens: max_completion_tokens ?? max_tokens ?? MODEL.maxOutputTokens,
    temperature: temperature === undefined ? undefined : Math.min(1, temperature),
    top_p: read.top_p,
    stops: stops.filter((one) => one.trim() !== ''),
    stream: stream === true,
    tools: (tools ?? []).map(({ function: { description, name: own, parameters } }) => [
      own,
      description,
      parameters,
    ]),
    choice: hasTools ? (read.tool_choice ?? 'auto') : undefined,
    isSingle: hasTools && read.parallel_tool_calls === false && read.tool_choice !== 'none',
    schema: response_format?.json_schema?.schema,
  };
}

function conversationIn(messages: readonly z.infer<typeof chatMessage>[]) {
  let instructions = '';
  const said: Said[] = [];
  /** Where results belong, in their order: they may be told among what the user says. */
  let results = new Map<string, { text: string }>();
  for (const message of messages) {
    const { reasoning_details = [], role, tool_call_id, tool_calls = [] } = message;
    const { media, text: words } = contentIn(message);
    if (role === 'system' || role === 'developer') {
      instructions += words;
      continue;
    }
    if (role === 'tool') {
      const waiting = results.get(tool_call_id ?? '');
      if (waiting !== undefined) waiting.text = words;
      continue;
    }
    const calls = tool_calls.map(({ function: called, id }) => {
      const waiting = { name: called.name, input: JSON.parse(called.arguments || '{}'), text: '' };
      return { id, waiting };
    });
    if (words === '' && media.length === 0 && calls.length === 0) continue;
    if (calls.length > 0) results = new Map(calls.map(({ id, waiting }) => [id, waiting]));
    const thoughts = reasoning_details.map((detail) => detail.signature ?? detail.data);
    const last = said.at(-1);
    const isSame = last?.role === role && !(role === 'assistant' && last.calls.length > 0);
    const one = isSame ? last : { role, text: '', media: [], calls: [], thoughts: [] };
    if (one !== last) said.push(one);
    one.text += words;
    one.media.push(...media);
    one.calls.push(...calls.map(({ waiting }) => waiting));
    one.thoughts.push(...thoughts);
  }
  return { instructions, said };
}

/** White space stands between parts on one side only. */
function contentIn({ content, refusal }: z.infer<typeof chatMessage>) {
  const parts =
    typeof content === 'string' ? [chatPart.parse({ type: 'text', text: content })] : (content ?? []);
  const words = parts.map((part) => part.text + part.refusal).join('') + (refusal ?? '');
  const media = parts.flatMap(({ file: own, image_url }) => [
    ...(image_url === undefined ? [] : [image_url.url]),
    ...(own === undefined ? [] : [`${own.filename} ${own.file_data}`]),
  ]);
  return { text: words.replaceAll(/\s/g, ''), media };
}

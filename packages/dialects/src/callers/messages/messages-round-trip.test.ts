import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Chat } from '../../interfaces/chat.ts';
import { convertChatToAnthropic } from '../../providers/anthropic/convert-chat-to-anthropic.ts';
import { convertMessagesToChat } from './convert-messages-to-chat.ts';

const MODEL: Chat['model'] = { id: 'acme/small', maxOutputTokens: undefined };
const UPSTREAM = 'claude-sonnet-4-5';

const words = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,2}$/);
const names = fc.stringMatching(/^[a-z]{1,8}$/);
const data = fc.base64String({ minLength: 4, maxLength: 12 });
const text = fc.record({ type: fc.constant('text' as const), text: words });
const image = fc
  .oneof(
    fc.record({ type: fc.constant('base64'), media_type: fc.constant('image/png'), data }),
    fc.record({ type: fc.constant('url'), url: names.map((name) => `https://example.com/${name}.png`) }),
  )
  .map((source) => ({ type: 'image' as const, source }));
const pdf = fc.record({
  type: fc.constant('document' as const),
  title: names,
  source: fc.record({ type: fc.constant('base64'), media_type: fc.constant('application/pdf'), data }),
});
const said = fc.oneof(words, fc.array(fc.oneof(text, image, pdf), { minLength: 1, maxLength: 3 }));
const result = fc.record({
  content: fc.oneof(words, fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 2 })),
  is_error: fc.boolean(),
});
const call = fc.record({
  name: names,
  input: fc.dictionary(names, fc.oneof(fc.integer(), words, fc.boolean()), { maxKeys: 2 }),
  result,
});
/** An answer of the model, and what the user says to it. */
const exchange = fc.record({
  thinking: fc.option(fc.record({ thinking: words, signature: data }), { nil: undefined }),
  redacted: fc.option(data, { nil: undefined }),
  texts: fc.array(words, { maxLength: 2 }),
  calls: fc.array(call, { maxLength: 3 }),
  next: said,
});
type Exchange = typeof exchange extends fc.Arbitrary<infer Value> ? Value : never;

const tools = fc.uniqueArray(
  fc.record({
    name: names,
    description: words,
    input_schema: fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(names, fc.constant({ type: 'string' }), { maxKeys: 2 }),
    }),
  }),
  { minLength: 1, maxLength: 3, selector: ({ name }) => name },
);
const settings = fc.record(
  {
    system: fc.oneof(words, fc.array(text, { minLength: 1, maxLength: 2 })),
    temperature: fc.constantFrom(0, 0.5, 1),
    stop_sequences: fc.array(words, { maxLength: 5 }),
    stream: fc.boolean(),
    tool_choice: fc.record({
      type: fc.constantFrom('auto', 'any', 'none'),
      disable_parallel_tool_use: fc.boolean(),
    }),
  },
  { requiredKeys: [] },
);
const requests = fc
  .record({
    first: said,
    exchanges: fc.array(exchange, { maxLength: 3 }),
    tools,
    settings,
    max: fc.integer({ min: 1, max: 9_999 }),
  })
  .map(({ exchanges, first, max, settings: set, tools: offered }) => ({
    model: 'acme/small',
    max_tokens: max,
    tools: offered,
    ...set,
    messages: [{ role: 'user', content: first }, ...exchanges.flatMap(messagesOf)],
  }));

function messagesOf({ calls, next, redacted, texts, thinking }: Exchange, turn: number) {
  const id = (index: number) => `call_${turn}_${index}`;
  const answer = [
    ...(thinking === undefined ? [] : [{ type: 'thinking', ...thinking }]),
    ...(redacted === undefined ? [] : [{ type: 'redacted_thinking', data: redacted }]),
    // An answer of reasoning alone is none.
    ...(texts.length + calls.length === 0 ? ['ok'] : texts).map((written) => ({
      type: 'text',
      text: written,
    })),
    ...calls.map(({ input, name }, index) => ({ type: 'tool_use', id: id(index), name, input })),
  ];
  const results = calls.map(({ result: given }, index) => ({
    type: 'tool_result',
    tool_use_id: id(index),
    ...given,
  }));
  const after = typeof next === 'string' ? [{ type: 'text', text: next }] : next;
  return [
    { role: 'assistant', content: answer },
    { role: 'user', content: [...results, ...after] },
  ];
}

/** Chat Completions according to its reference, written for these tests alone. */
const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string().regex(/^(?:https:\/\/|data:image\/png;base64,)/) }),
  }),
  z.strictObject({
    type: z.literal('file'),
    file: z.strictObject({
      filename: z.string().min(1),
      file_data: z.string().startsWith('data:application/pdf;base64,'),
    }),
  }),
]);
const json = z.string().refine((written) => typeof JSON.parse(written) === 'object');
const chatMessage = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: z.string() }),
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(part).min(1)]) }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.string().nullable(),
    reasoning_content: z.string().min(1).optional(),
    reasoning_details: z
      .array(
        z.strictObject({
          type: z.enum(['reasoning.text', 'reasoning.encrypted']),
          text: z.string().optional(),
          signature: z.string().optional(),
          data: z.string().optional(),
          format: z.string(),
        }),
      )
      .optional(),
    tool_calls: z
      .array(
        z.strictObject({
          id: z.string().min(1),
          type: z.literal('function'),
          function: z.strictObject({ name: z.string().min(1), arguments: json }),
        }),
      )
      .min(1)
      .optional(),
  }),
  z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content: z.string() }),
]);
const chatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(chatMessage).min(1),
  max_completion_tokens: z.int().min(1),
  stream: z.literal(true).optional(),
  stream_options: z.strictObject({ include_usage: z.literal(true) }).optional(),
  temperature: z.number().optional(),
  stop: z.array(z.string()).min(1).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: z.string(),
          description: z.string(),
          parameters: z.looseObject({}),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z.enum(['auto', 'required', 'none']).optional(),
  parallel_tool_calls: z.literal(false).optional(),
});

/** Each call is answered by the messages right after it, and nothing else is. */
function expectPaired(messages: readonly z.infer<typeof chatMessage>[]): void {
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(open.delete(message.tool_call_id), message.tool_call_id).toBe(true);
      continue;
    }
    expect([...open]).toEqual([]);
    if (message.role === 'assistant') open = new Set(message.tool_calls?.map(({ id }) => id));
  }
  expect([...open]).toEqual([]);
}

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z.unknown().optional(),
});
const meant = z.looseObject({
  system: z.union([z.string(), z.array(block)]).optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(block)]) })),
});

/** A request reduced to what it means: texts in one, pictures of results beside them. */
function meaningOf(request: object) {
  const { messages, system, ...rest } = meant.parse(request);
  return {
    ...rest,
    system: wordsIn(system ?? ''),
    messages: messages.map(({ content, role }) => {
      const blocks = typeof content === 'string' ? [] : content;
      const results = blocks.filter(({ type }) => type === 'tool_result');
      return {
        role,
        words: wordsIn(content),
        media: blocks.flatMap((entry) => mediaIn(entry)),
        results: results.map(({ content: given, is_error, tool_use_id }) => ({
          tool_use_id,
          words: wordsIn(is_error === true ? `The tool call failed. ${wordsIn(given)}` : given),
        })),
        calls: blocks.filter(({ type }) => type === 'tool_use'),
        reasoning: blocks.filter(({ type }) => type === 'thinking' || type === 'redacted_thinking'),
      };
    }),
  };
}

/** Words that the translation adds to say where a picture has come from. */
const ADDED =
  /Its pictures and files follow in the next message\.|What the tool call \w+ has returned besides text:/g;

function wordsIn(content: unknown): string {
  const texts =
    typeof content === 'string'
      ? [content]
      : z
          .array(block)
          .parse(content)
          .map(({ text: own }) => own ?? '');
  return texts.join(' ').replaceAll(ADDED, '').replaceAll(/\s+/g, '');
}

function mediaIn(entry: z.infer<typeof block>): object[] {
  if (entry.type === 'image' || entry.type === 'document') return [entry];
  return Array.isArray(entry.content) ? z.array(block).parse(entry.content).flatMap(mediaIn) : [];
}

describe('any Messages request', () => {
  it('becomes a valid Chat Completions request', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const translated = convertMessagesToChat(request, MODEL);
        const chat = chatRequest.parse(JSON.parse(JSON.stringify(translated.request)));
        expectPaired(chat.messages);
        expect(translated.ignored).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps its meaning when it is converted to Chat Completions and back', () => {
    fc.assert(
      fc.property(requests, (request) => {
        const chat = convertMessagesToChat(request, MODEL).request;
        const back = convertChatToAnthropic(JSON.parse(JSON.stringify(chat)), MODEL, UPSTREAM);
        const { model, stream, stop_sequences, tool_choice, ...asked } = request;
        const expected = {
          ...asked,
          ...(stream === true ? { stream } : {}),
          ...(stop_sequences?.length ? { stop_sequences } : {}),
          ...(tool_choice === undefined ? {} : { tool_choice: plainChoice(tool_choice) }),
        };
        expect(meaningOf(back.request)).toEqual(meaningOf(expected));
        expect(back.ignored).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});

/** A model that calls no tool calls none at once; and several calls at once are what is usual. */
function plainChoice({
  disable_parallel_tool_use,
  type,
}: {
  disable_parallel_tool_use: boolean;
  type: string;
}) {
  return disable_parallel_tool_use && type !== 'none' ? { type, disable_parallel_tool_use } : { type };
}

import { GatewayError } from '@model-gateway/shared';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chat } from '../../interfaces/chat.ts';
import type { JsonObject } from '../../json/json-object.ts';
import {
  CHAT_TO_ANTHROPIC,
  convertChatToAnthropic,
} from '../../providers/anthropic/convert-chat-to-anthropic.ts';
import { writeTranslated } from '../../translation/write-translated.ts';
import { RESPONSES_TO_CHAT } from '../caller-translations.ts';
import { convertResponsesToChat } from './convert-responses-to-chat.ts';
import { type ItemReasoning, writeEncryptedContent } from './responses-carried-reasoning.ts';

const MODEL: Chat['model'] = { id: 'acme/small', maxOutputTokens: undefined };
const UPSTREAM = 'claude-sonnet-4-5';

/* Requests of Chat Completions of which Responses can express all, in their simplest form. */

const words = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,2}$/);
const names = fc.stringMatching(/^[a-z]{1,6}(__[a-z]{1,6})?$/);
const data = fc.base64String({ minLength: 4, maxLength: 12 });
const text = words.map((value) => ({ type: 'text' as const, text: value }));
const image = fc.record({
  type: fc.constant('image_url' as const),
  image_url: fc.record(
    {
      url: fc.oneof(
        fc.webUrl(),
        data.map((value) => `data:image/png;base64,${value}`),
      ),
      detail: fc.constantFrom('low', 'high'),
    },
    { requiredKeys: ['url'] },
  ),
});
const pdf = fc.record({
  type: fc.constant('file' as const),
  file: fc.record({
    filename: words,
    file_data: data.map((value) => `data:application/pdf;base64,${value}`),
  }),
});
const said = fc.oneof(
  words,
  fc.tuple(fc.array(text, { maxLength: 2 }), fc.oneof(image, pdf)).map(([texts, media]) => [...texts, media]),
);
type Said = typeof said extends fc.Arbitrary<infer Value> ? Value : never;

const call = fc.record(
  {
    name: names,
    arguments: fc
      .dictionary(names, fc.oneof(fc.integer(), words), { maxKeys: 2 })
      .map((value) => JSON.stringify(value)),
    result: words,
    signature: data,
  },
  { requiredKeys: ['name', 'arguments', 'result'] },
);
const details = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('reasoning.text'),
      text: words,
      signature: data,
      format: fc.constant('anthropic-claude-v1'),
    }),
    fc.record({ type: fc.constant('reasoning.encrypted'), data, format: fc.constant('anthropic-claude-v1') }),
  ),
  { minLength: 1, maxLength: 2 },
);
const reasoning = fc.record(
  { field: fc.constantFrom('reasoning_content' as const, 'reasoning' as const), text: words, details },
  { requiredKeys: ['field', 'text'] },
);
/** An answer of the model, and what is said after it. */
const exchange = fc.record({
  reasoning: fc.option(reasoning, { nil: undefined }),
  words: fc.option(words, { nil: undefined }),
  calls: fc.array(call, { maxLength: 3 }),
  system: fc.option(words, { nil: undefined }),
  next: said,
});
type Exchange = typeof exchange extends fc.Arbitrary<infer Value> ? Value : never;

const settings = fc.record(
  {
    max_completion_tokens: fc.integer({ min: 1, max: 9_999 }),
    temperature: fc.constantFrom(0, 0.5, 1),
    top_p: fc.constantFrom(0.1, 1),
    reasoning_effort: fc.constantFrom('none', 'low', 'high'),
    verbosity: fc.constantFrom('low', 'high'),
    stream: fc.constant(true),
    response_format: fc.oneof(
      fc.constant({ type: 'json_object' as const }),
      fc.record({
        type: fc.constant('json_schema' as const),
        json_schema: fc.record({
          name: names,
          schema: fc.constant({ type: 'object' }),
          strict: fc.boolean(),
        }),
      }),
    ),
  },
  { requiredKeys: [] },
);
const tools = fc.uniqueArray(fc.record({ name: names, description: words, strict: fc.boolean() }), {
  maxLength: 3,
  selector: ({ name }) => name,
});
const chats = fc.record({
  instructions: fc.option(words, { nil: undefined }),
  first: said,
  exchanges: fc.array(exchange, { maxLength: 3 }),
  settings,
  tools,
  choice: fc.constantFrom('auto', 'none', 'required', 'first'),
  isSingle: fc.boolean(),
});
type Chats = typeof chats extends fc.Arbitrary<infer Value> ? Value : never;

const PARAMETERS = { type: 'object', properties: {} };

function idOf(turn: number, index: number): string {
  return `call_${turn}_${index}`;
}

/** The request in Chat Completions. */
function asChat({ choice, exchanges, first, instructions, isSingle, settings: set, tools: offered }: Chats) {
  const functions = offered.map(({ description, name, strict }) => ({
    type: 'function',
    function: { name, description, parameters: PARAMETERS, strict },
  }));
  const chosen = choice === 'first' ? { type: 'function', function: { name: offered[0]?.name } } : choice;
  return {
    model: 'acme/small',
    messages: [
      ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
      { role: 'user', content: first },
      ...exchanges.flatMap(chatMessages),
    ],
    ...set,
    ...(set.stream === true ? { stream_options: { include_usage: true } } : {}),
    ...(offered.length === 0 ? {} : { tools: functions, tool_choice: chosen }),
    ...(isSingle && offered.length > 0 ? { parallel_tool_calls: false } : {}),
  };
}

function chatMessages({ calls, next, reasoning: thought, system, words: answer }: Exchange, turn: number) {
  const tool_calls = calls.map(({ arguments: args, name, signature }, index) => ({
    id: idOf(turn, index),
    type: 'function',
    function: { name, arguments: args },
    ...(signature === undefined ? {} : { extra_content: extraOf(signature) }),
  }));
  const content = answer ?? (calls.length > 0 ? null : 'ok');
  return [
    {
      role: 'assistant',
      content,
      ...(thought === undefined ? {} : { [thought.field]: thought.text }),
      ...(thought?.details === undefined ? {} : { reasoning_details: thought.details }),
      ...(tool_calls.length === 0 ? {} : { tool_calls }),
    },
    ...calls.map(({ result }, index) => ({ role: 'tool', tool_call_id: idOf(turn, index), content: result })),
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: next },
  ];
}

function extraOf(signature: string) {
  return { google: { thought_signature: signature } };
}

/** The same request in Responses. */
function asResponses({
  choice,
  exchanges,
  first,
  instructions,
  isSingle,
  settings: set,
  tools: offered,
}: Chats) {
  const { max_completion_tokens, reasoning_effort, response_format, verbosity, ...others } = set;
  const format =
    response_format?.type === 'json_schema'
      ? { type: 'json_schema', ...response_format.json_schema }
      : response_format;
  return {
    model: 'acme/small',
    ...(instructions === undefined ? {} : { instructions }),
    input: [itemOf('user', first), ...exchanges.flatMap(items)],
    ...others,
    ...(max_completion_tokens === undefined ? {} : { max_output_tokens: max_completion_tokens }),
    reasoning: { effort: reasoning_effort ?? null },
    text: { format: format ?? null, verbosity: verbosity ?? 'medium' },
    tools: offered.map(({ name, ...declared }) => {
      const [own, group] = namesOf(name);
      const tool = { type: 'function', name: own, ...declared, parameters: PARAMETERS };
      return group === undefined ? tool : { type: 'namespace', name: group, tools: [tool] };
    }),
    tool_choice: choice === 'first' ? chosenOf(offered[0]?.name) : choice,
    parallel_tool_calls: !isSingle,
    store: false,
  };
}

function chosenOf(chosen: string | undefined) {
  if (chosen === undefined) return 'auto';
  const [name, namespace] = namesOf(chosen);
  return { type: 'function', name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The name of a tool, and of its namespace. */
function namesOf(name: string): [string, string | undefined] {
  const [group, own] = name.split('__');
  return own === undefined ? [name, undefined] : [own, group];
}

function itemOf(role: string, content: Said) {
  return { type: 'message', role, content: typeof content === 'string' ? content : content.map(partOf) };
}

function partOf(part: Exclude<Said, string>[number]) {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  if (part.type === 'file') return { type: 'input_file', ...part.file };
  return { type: 'input_image', image_url: part.image_url.url, detail: part.image_url.detail ?? 'auto' };
}

function items(
  { calls, next, reasoning: thought, system, words: answer }: Exchange,
  turn: number,
): JsonObject[] {
  const kept = (reasonings: ItemReasoning) => ({
    type: 'reasoning',
    id: `rs_${turn}`,
    summary: [],
    encrypted_content: writeEncryptedContent(reasonings),
  });
  const told = answer ?? (calls.length > 0 ? undefined : 'ok');
  return [
    ...(thought === undefined ? [] : [kept(thought)]),
    ...(told === undefined
      ? []
      : [
          {
            type: 'message',
            role: 'assistant',
            content: [{ type: 'output_text', text: told, annotations: [] }],
          },
        ]),
    ...calls.flatMap(({ arguments: args, name, signature }, index) => {
      const [own, namespace] = namesOf(name);
      const call_id = idOf(turn, index);
      return [
        ...(signature === undefined
          ? []
          : [kept({ calls: [{ id: call_id, extra_content: extraOf(signature) }] })]),
        { type: 'function_call', call_id, name: own, namespace, arguments: args },
      ];
    }),
    ...calls.map(({ result }, index) => ({
      type: 'function_call_output',
      call_id: idOf(turn, index),
      output: result,
    })),
    ...(system === undefined ? [] : [{ role: 'developer', content: [{ type: 'input_text', text: system }] }]),
    itemOf('user', next),
  ];
}

/** A request whose demands can be met. */
const possible = chats.filter(({ choice, tools: offered }) => {
  return offered.length > 0 || choice === 'auto' || choice === 'none';
});

function onToMessages(request: JsonObject): JsonObject {
  const translations = [RESPONSES_TO_CHAT, CHAT_TO_ANTHROPIC];
  const chunks = [Buffer.from(JSON.stringify(request))];
  const { json } = writeTranslated(chunks, translations, { ...MODEL, upstreamModel: UPSTREAM });
  return JSON.parse(Buffer.from(json).toString());
}

describe('any request that both APIs can express', () => {
  it('a request that both APIs can express becomes the same chat from either', () => {
    fc.assert(
      fc.property(possible, (chat) => {
        const { ignored, request } = convertResponsesToChat(asResponses(chat), MODEL);
        expect(JSON.parse(JSON.stringify(request))).toEqual(JSON.parse(JSON.stringify(asChat(chat))));
        expect(ignored).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  it('a request that both APIs can express becomes the same chat through Messages, too', () => {
    fc.assert(
      fc.property(possible, (chat) => {
        const direct = convertChatToAnthropic(
          JSON.parse(JSON.stringify(asChat(chat))),
          MODEL,
          UPSTREAM,
        ).request;
        expect(onToMessages(asResponses(chat))).toEqual({ ...direct, model: UPSTREAM });
      }),
      { numRuns: 100 },
    );
  });
});

/** A request with one value in it that is another. */
const broken = fc
  .tuple(
    possible.map((chat): JsonObject => JSON.parse(JSON.stringify(asResponses(chat)))),
    fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
    fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom<unknown>(null, '', [], {}, [[]], [null], '__proto__', 1e308),
    ),
  )
  .map(([request, way, value]): JsonObject => {
    replace(request, way, value);
    return request;
  });

/** Goes down as far as there is something, and replaces that. */
function replace(at: object, [step = 0, ...way]: readonly number[], value: unknown): void {
  const entries = Object.entries(at);
  const [name, inner] = entries[step % Math.max(entries.length, 1)] ?? [];
  if (name === undefined) return;
  if (way.length > 0 && typeof inner === 'object' && inner !== null) replace(inner, way, value);
  else Object.defineProperty(at, name, { value, enumerable: true });
}

/** As the caller knows it, whichever translation has refused it. */
const FIELD_OF_RESPONSES =
  /^(?!messages|response_format|verbosity|reasoning_effort|max_completion)(?!.*function\.)[a-z]/;

describe('any other request', () => {
  it('any other request is translated, or refused with the path of what is wrong', () => {
    fc.assert(
      fc.property(broken, (request) => {
        try {
          expect(onToMessages(request)).toHaveProperty('messages');
        } catch (thrown) {
          if (!(thrown instanceof GatewayError)) throw thrown;
          expect(thrown).toMatchObject({ status: 400, code: 'invalid_request' });
          expect(thrown.param).toMatch(FIELD_OF_RESPONSES);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

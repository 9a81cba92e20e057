import { z } from 'zod';
import type { Answer, AskedPart, Question, Stop, Turn } from './question.ts';

/** How a caller uses one API of chats. */
export interface MatrixCaller {
  title: string;
  path: string;
  request(question: Question): object;
  answer(body: unknown): Answer;
  /** Puts the events of a stream together to a whole response. */
  assembled(events: readonly unknown[]): unknown;
  /** Returns the text of these events. */
  textOf(events: readonly unknown[]): string;
  /** Text that only a complete stream has. */
  endMark: string;
  /** Text with which a failed stream ends. */
  failureMark: string;
  /** Text by which agents know that a conversation is too long. */
  tooLongMark: string;
}

const text = z.string();

function onlyText(parts: readonly AskedPart[]): string | undefined {
  const [only, ...others] = parts;
  return only !== undefined && others.length === 0 && 'text' in only ? only.text : undefined;
}

/** Converts turns to messages; an `again` turn is inserted unchanged. */
function messagesOf(turns: readonly Turn[], message: (turn: Exclude<Turn, { again: unknown }>) => unknown[]) {
  return turns.flatMap((turn) => ('again' in turn ? [...turn.again] : message(turn)));
}

// Chat Completions.

const completion = z.looseObject({
  choices: z.tuple([
    z.looseObject({
      finish_reason: text,
      message: z.looseObject({
        content: text.nullish(),
        reasoning_content: text.optional(),
        tool_calls: z
          .array(z.looseObject({ id: text, function: z.looseObject({ name: text, arguments: text }) }))
          .optional(),
      }),
    }),
  ]),
  usage: z
    .looseObject({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      prompt_tokens_details: z.looseObject({ cached_tokens: z.number() }).optional(),
    })
    .default({ prompt_tokens: 0, completion_tokens: 0 }),
});
const COMPLETION_STOPS: Record<string, Stop> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'refusal',
};
const chunk = z.looseObject({
  choices: z.array(
    z.looseObject({
      delta: z.looseObject({
        content: text.nullish(),
        reasoning_content: text.optional(),
        reasoning_details: z.array(z.looseObject({})).optional(),
        tool_calls: z
          .array(
            z.looseObject({
              index: z.number(),
              id: text.optional(),
              function: z.unknown(),
              extra_content: z.unknown().optional(),
            }),
          )
          .optional(),
      }),
      finish_reason: text.nullish(),
    }),
  ),
  usage: z.unknown().optional(),
});

function chatPart(part: AskedPart): object {
  if ('text' in part) return { type: 'text', text: part.text };
  if ('png' in part) return { type: 'image_url', image_url: { url: `data:image/png;base64,${part.png}` } };
  const file_data = `data:application/pdf;base64,${part.pdf}`;
  return { type: 'file', file: { filename: 'a.pdf', file_data } };
}

const CHAT: MatrixCaller = {
  title: 'Chat',
  path: '/v1/chat/completions',
  endMark: '[DONE]',
  failureMark: 'data: {"error":',
  tooLongMark: '"code":"context_length_exceeded"',
  request: ({ most, schema, system, thinks, tools, turns }) => ({
    messages: [
      ...(system === undefined ? [] : [{ role: 'system', content: system }]),
      ...messagesOf(turns, (turn) => {
        if ('user' in turn)
          return [{ role: 'user', content: onlyText(turn.user) ?? turn.user.map(chatPart) }];
        if ('instruction' in turn) return [{ role: 'system', content: turn.instruction }];
        if ('thought' in turn)
          return [{ role: 'assistant', content: turn.said, reasoning_content: turn.thought }];
        return turn.results.map(({ id, parts }) => ({
          role: 'tool',
          tool_call_id: id,
          content: onlyText(parts) ?? parts.map(chatPart),
        }));
      }),
    ],
    stream_options: { include_usage: true },
    ...(most === undefined ? {} : { max_tokens: most }),
    ...(thinks === true ? { reasoning_effort: 'low', max_tokens: 4_000 } : {}),
    ...(tools === undefined
      ? {}
      : { tools: tools.map((declared) => ({ type: 'function', function: declared })) }),
    ...(schema === undefined
      ? {}
      : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } }),
  }),
  answer: (body) => {
    const { choices, usage } = completion.parse(body);
    const [{ finish_reason, message }] = choices;
    const { content, reasoning_content = '', tool_calls = [] } = message;
    return {
      text: content ?? '',
      thoughts: reasoning_content,
      calls: tool_calls.map(({ function: called, id }) => ({
        id,
        name: called.name,
        input: JSON.parse(called.arguments),
      })),
      stop: COMPLETION_STOPS[finish_reason] ?? 'stop',
      usage: {
        input: usage.prompt_tokens,
        cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
        output: usage.completion_tokens,
      },
      again: [message],
    };
  },
  assembled: (events) => {
    const chunks = events.map((event) => chunk.parse(event));
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta));
    const calls = new Map<number, { id: string; extra: object; name: string; arguments: string }>();
    for (const one of deltas.flatMap(({ tool_calls }) => tool_calls ?? [])) {
      const { extra_content, function: part, id, index } = one;
      const known = calls.get(index) ?? { id: '', extra: {}, name: '', arguments: '' };
      const extra = extra_content === undefined ? known.extra : { extra_content };
      const { arguments: more = '', name = known.name } = z
        .object({ name: text.optional(), arguments: text.optional() })
        .parse(part ?? {});
      calls.set(index, { id: id ?? known.id, extra, name, arguments: known.arguments + more });
    }
    const joined = (pick: (delta: (typeof deltas)[number]) => string | null | undefined) =>
      deltas.map((delta) => pick(delta) ?? '').join('');
    const message = {
      role: 'assistant',
      content: joined(({ content }) => content),
      reasoning_content: joined(({ reasoning_content }) => reasoning_content),
      reasoning_details: deltas.flatMap(({ reasoning_details }) => reasoning_details ?? []),
      tool_calls: [...calls.values()].map(({ extra, id, ...called }) => {
        return { id, type: 'function', function: called, ...extra };
      }),
    };
    const finish_reason = chunks
      .flatMap(({ choices }) => choices.flatMap((one) => one.finish_reason ?? []))
      .at(-1);
    return { choices: [{ message, finish_reason }], usage: chunks.findLast(({ usage }) => usage)?.usage };
  },
  textOf: (events) =>
    events
      .flatMap((event) => chunk.safeParse(event).data?.choices ?? [])
      .map(({ delta }) => delta.content ?? '')
      .join(''),
};

// Messages.

const message = z.looseObject({
  content: z.array(z.looseObject({ type: text })),
  stop_reason: text,
  usage: z.looseObject({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_input_tokens: z.number().nullish(),
    cache_creation_input_tokens: z.number().nullish(),
  }),
});
const MESSAGE_STOPS: Record<string, Stop> = {
  end_turn: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'refusal',
};
const toolUse = z.looseObject({ type: z.literal('tool_use'), id: text, name: text, input: z.unknown() });
const MESSAGE_EVENT = {
  start: z.looseObject({
    type: z.literal('message_start'),
    message: z.looseObject({ usage: z.looseObject({}) }),
  }),
  block: z.looseObject({
    type: z.literal('content_block_start'),
    index: z.number(),
    content_block: z.record(text, z.unknown()),
  }),
  piece: z.looseObject({
    type: z.literal('content_block_delta'),
    index: z.number(),
    delta: z.looseObject({
      text: text.optional(),
      thinking: text.optional(),
      signature: text.optional(),
      partial_json: text.optional(),
    }),
  }),
  end: z.looseObject({
    type: z.literal('message_delta'),
    delta: z.looseObject({}),
    usage: z.looseObject({}),
  }),
};

function messagesPart(part: AskedPart): object {
  if ('text' in part) return { type: 'text', text: part.text };
  const [type, media_type, data] =
    'png' in part ? ['image', 'image/png', part.png] : ['document', 'application/pdf', part.pdf];
  return { type, source: { type: 'base64', media_type, data } };
}

const MESSAGES: MatrixCaller = {
  title: 'Messages',
  path: '/v1/messages',
  endMark: '"message_stop"',
  failureMark: 'event: error',
  tooLongMark: 'prompt is too long',
  request: ({ most = 1_000, schema, system, thinks, tools, turns }) => ({
    max_tokens: thinks === true ? 4_000 : most,
    ...(system === undefined ? {} : { system }),
    messages: messagesOf(turns, (turn) => {
      if ('user' in turn) return [{ role: 'user', content: turn.user.map(messagesPart) }];
      // Only the newest Claude models take it, and bytes pass.
      if ('instruction' in turn) return [];
      if ('thought' in turn) {
        const thinking = { type: 'thinking', thinking: turn.thought, signature: '' };
        return [{ role: 'assistant', content: [thinking, { type: 'text', text: turn.said }] }];
      }
      const results = turn.results.map(({ id, parts }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: parts.map(messagesPart),
      }));
      return [{ role: 'user', content: results }];
    }),
    ...(thinks === true ? { thinking: { type: 'enabled', budget_tokens: 2_000 } } : {}),
    ...(tools === undefined
      ? {}
      : { tools: tools.map(({ name, parameters }) => ({ name, input_schema: parameters })) }),
    ...(schema === undefined ? {} : { output_config: { format: { type: 'json_schema', schema } } }),
  }),
  answer: (body) => {
    const { content, stop_reason, usage } = message.parse(body);
    const joined = (type: string, member: string) =>
      content.map((block) => (block.type === type ? String(block[member]) : '')).join('');
    const cached = usage.cache_read_input_tokens ?? 0;
    return {
      text: joined('text', 'text'),
      thoughts: joined('thinking', 'thinking'),
      calls: content.flatMap((block) => toolUse.safeParse(block).data ?? []),
      stop: MESSAGE_STOPS[stop_reason] ?? 'stop',
      usage: {
        input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
        cached,
        output: usage.output_tokens,
      },
      again: [{ role: 'assistant', content }],
    };
  },
  assembled: (events) => {
    const blocks = new Map<number, Record<string, unknown>>();
    const inputs = new Map<number, string>();
    let whole = {};
    let usage = {};
    for (const event of events) {
      const start = MESSAGE_EVENT.start.safeParse(event).data;
      if (start !== undefined) [whole, usage] = [start.message, start.message.usage];
      const block = MESSAGE_EVENT.block.safeParse(event).data;
      if (block !== undefined) blocks.set(block.index, { ...block.content_block });
      const piece = MESSAGE_EVENT.piece.safeParse(event).data;
      if (piece !== undefined) {
        const into = blocks.get(piece.index) ?? {};
        for (const name of ['text', 'thinking', 'signature'] as const)
          if (piece.delta[name] !== undefined) into[name] = `${into[name] ?? ''}${piece.delta[name]}`;
        const json = piece.delta.partial_json ?? '';
        if (json !== '') inputs.set(piece.index, (inputs.get(piece.index) ?? '') + json);
      }
      const end = MESSAGE_EVENT.end.safeParse(event).data;
      if (end !== undefined)
        [whole, usage] = [
          { ...whole, ...end.delta },
          { ...usage, ...end.usage },
        ];
    }
    for (const [index, json] of inputs) Object.assign(blocks.get(index) ?? {}, { input: JSON.parse(json) });
    return { ...whole, usage, content: [...blocks.values()] };
  },
  textOf: (events) =>
    events.map((event) => MESSAGE_EVENT.piece.safeParse(event).data?.delta.text ?? '').join(''),
};

// Responses.

const response = z.looseObject({
  status: text,
  incomplete_details: z.looseObject({ reason: text }).nullish(),
  output: z.array(z.looseObject({ type: text })),
  usage: z.looseObject({
    input_tokens: z.number(),
    input_tokens_details: z.looseObject({ cached_tokens: z.number() }),
    output_tokens: z.number(),
  }),
});
const item = {
  message: z.looseObject({
    type: z.literal('message'),
    content: z.array(z.looseObject({ type: text, text: text.optional(), refusal: text.optional() })),
  }),
  call: z.looseObject({ type: z.literal('function_call'), call_id: text, name: text, arguments: text }),
  reasoning: z.looseObject({
    type: z.literal('reasoning'),
    summary: z.array(z.looseObject({ text })),
  }),
};
const finished = z.looseObject({
  type: z.enum(['response.completed', 'response.incomplete']),
  response: z.unknown(),
});
const textDelta = z.looseObject({ type: z.literal('response.output_text.delta'), delta: text });

function responsesPart(part: AskedPart): object {
  if ('text' in part) return { type: 'input_text', text: part.text };
  if ('png' in part) return { type: 'input_image', image_url: `data:image/png;base64,${part.png}` };
  return { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${part.pdf}` };
}

const RESPONSES: MatrixCaller = {
  title: 'Responses',
  path: '/v1/responses',
  endMark: '"response.completed"',
  failureMark: 'event: response.failed',
  tooLongMark: '"code":"context_length_exceeded"',
  request: ({ most, schema, system, thinks, tools, turns }) => ({
    store: false,
    include: ['reasoning.encrypted_content'],
    ...(system === undefined ? {} : { instructions: system }),
    input: messagesOf(turns, (turn) => {
      if ('user' in turn) return [{ role: 'user', content: turn.user.map(responsesPart) }];
      if ('instruction' in turn) return [{ role: 'developer', content: turn.instruction }];
      if ('thought' in turn) {
        const summary = [{ type: 'summary_text', text: turn.thought }];
        const content = [{ type: 'output_text', text: turn.said, annotations: [] }];
        return [
          { type: 'reasoning', id: 'rs_1', summary },
          { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content },
        ];
      }
      return turn.results.map(({ id, parts }) => ({
        type: 'function_call_output',
        call_id: id,
        output: onlyText(parts) ?? parts.map(responsesPart),
      }));
    }),
    ...(most === undefined ? {} : { max_output_tokens: most }),
    ...(thinks === true ? { reasoning: { effort: 'low', summary: 'auto' }, max_output_tokens: 4_000 } : {}),
    ...(tools === undefined ? {} : { tools: tools.map((declared) => ({ type: 'function', ...declared })) }),
    ...(schema === undefined
      ? {}
      : { text: { format: { type: 'json_schema', name: 'answer', schema, strict: true } } }),
  }),
  answer: (body) => {
    const { incomplete_details, output, status, usage } = response.parse(body);
    const parts = output.flatMap((one) => item.message.safeParse(one).data?.content ?? []);
    const calls = output.flatMap((one) => item.call.safeParse(one).data ?? []);
    const isRefusal =
      incomplete_details?.reason === 'content_filter' || parts.some(({ type }) => type === 'refusal');
    const ended: Stop = calls.length > 0 ? 'tool_calls' : 'stop';
    const stop: Stop = status === 'incomplete' ? 'length' : ended;
    return {
      text: parts.map((part) => part.text ?? '').join(''),
      thoughts: output
        .flatMap((one) => item.reasoning.safeParse(one).data?.summary ?? [])
        .map((part) => part.text)
        .join(''),
      calls: calls.map(({ arguments: args, call_id, name }) => ({
        id: call_id,
        name,
        input: JSON.parse(args),
      })),
      stop: isRefusal ? 'refusal' : stop,
      usage: {
        input: usage.input_tokens,
        cached: usage.input_tokens_details.cached_tokens,
        output: usage.output_tokens,
      },
      again: output,
    };
  },
  assembled: (events) => events.flatMap((event) => finished.safeParse(event).data?.response ?? []).at(-1),
  textOf: (events) => events.map((event) => textDelta.safeParse(event).data?.delta ?? '').join(''),
};

export const MATRIX_CALLERS: readonly [MatrixCaller, ...MatrixCaller[]] = [CHAT, MESSAGES, RESPONSES];

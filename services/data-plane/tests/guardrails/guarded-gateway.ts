import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import { modelEntry, providerEntry, type SharedGateway, withGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll } from 'vitest';

export const APIS = ['chat', 'messages', 'responses'] as const;
export type Api = (typeof APIS)[number];
export const PATHS = { chat: 'chat/completions', messages: 'messages', responses: 'responses' } as const;

type Guardrails = NonNullable<CatalogDocumentInput['guardrails']>;
type Handle = (req: IncomingMessage, res: ServerResponse, body: string) => void;

/** An HTTP server whose answer each test sets. */
export interface ScriptedServer {
  url: string;
  /** Bodies of all requests since the last `answer`. */
  bodies: string[];
  answer(handle: Handle): void;
}

export function withServer(): ScriptedServer {
  let handle: Handle = (_req, res) => void res.writeHead(500).end();
  const state: ScriptedServer = {
    url: '',
    bodies: [],
    answer: (next) => {
      handle = next;
      state.bodies.length = 0;
    },
  };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      state.bodies.push(body);
      handle(req, res, body);
    });
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server.close());
  return state;
}

const PRICES = { input_per_million_usd: '1', output_per_million_usd: '2' };

/** Starts a gateway with the models `<api>/checked`, paid, and `<api>/free`, unchecked, of each API. */
export function withGuardedGateway(
  provider: ScriptedServer,
  guardrails: () => Guardrails,
  chosen: (all: Guardrails) => string[] = (all) => all.map(({ id }) => id),
): SharedGateway {
  return withGateway(() => ({
    document: () => {
      const all = guardrails();
      const ids = chosen(all);
      const own = ids.length === 0 ? {} : { guardrails: ids };
      return {
        providers: [
          providerEntry('chat', provider.url),
          providerEntry('messages', provider.url, { kind: 'anthropic' }),
          providerEntry('responses', provider.url, { apis: ['chat', 'responses'] }),
        ],
        models: APIS.flatMap((api) => [
          modelEntry(`${api}/checked`, { [api]: 'm' }, { tier: 'paid', pricing: PRICES, ...own }),
          modelEntry(`${api}/free`, { [api]: 'm' }),
        ]),
        ...(all.length === 0 ? {} : { guardrails: all }),
      };
    },
  }));
}

export function requestOf(api: Api, members: object = {}): object {
  const text = 'Tell me something.';
  if (api === 'responses') return { model: 'responses/checked', input: text, store: false, ...members };
  const messages = [{ role: 'user', content: text }];
  if (api === 'chat') return { model: 'chat/checked', messages, ...members };
  return { model: 'messages/checked', max_tokens: 500, messages, ...members };
}

export type Place = 'text' | 'reasoning' | 'arguments';
export const USAGE = { input: 10, output: 20 };

/** Events of a stream whose text, reasoning or arguments come in these pieces. */
export function eventsOf(api: Api, place: Place, pieces: readonly string[]): string {
  if (api === 'chat') return chatEvents(place, pieces);
  return api === 'messages' ? messagesEvents(place, pieces) : responsesEvents(place, pieces);
}

function chatEvents(place: Place, pieces: readonly string[]): string {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({
      id: 'c1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })}\n\n`;
  const call = (args: string, head: object = {}) => ({
    tool_calls: [
      { index: 0, ...head, function: { arguments: args, ...('id' in head && { name: 'look_up' }) } },
    ],
  });
  const deltas = pieces.map((piece, index) => {
    if (place === 'text') return chunk({ content: piece });
    if (place === 'reasoning') return chunk({ reasoning_content: piece });
    return chunk(call(piece, index === 0 ? { id: 'call_1', type: 'function' } : {}));
  });
  const usage = { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: 30 };
  const last = `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })}\n\n`;
  const end = place === 'reasoning' ? chunk({ content: 'Done.' }) : '';
  return `${chunk({ role: 'assistant', content: '' })}${deltas.join('')}${end}${chunk({}, place === 'arguments' ? 'tool_calls' : 'stop')}${last}data: [DONE]\n\n`;
}

function named(event: { type: string; [member: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function messagesEvents(place: Place, pieces: readonly string[]): string {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: USAGE.input, output_tokens: 1 },
  };
  const block = {
    text: { type: 'text', text: '' },
    reasoning: { type: 'thinking', thinking: '', signature: '' },
    arguments: { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: {} },
  }[place];
  const delta = (piece: string) =>
    ({
      text: { type: 'text_delta', text: piece },
      reasoning: { type: 'thinking_delta', thinking: piece },
      arguments: { type: 'input_json_delta', partial_json: piece },
    })[place];
  const stop_reason = place === 'arguments' ? 'tool_use' : 'end_turn';
  return [
    named({ type: 'message_start', message }),
    named({ type: 'content_block_start', index: 0, content_block: block }),
    ...pieces.map((piece) => named({ type: 'content_block_delta', index: 0, delta: delta(piece) })),
    named({ type: 'content_block_stop', index: 0 }),
    named({
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: USAGE.output },
    }),
    named({ type: 'message_stop' }),
  ].join('');
}

function responsesEvents(place: Place, pieces: readonly string[]): string {
  let sequence = 0;
  const event = (type: string, members: object) => named({ type, sequence_number: sequence++, ...members });
  const response = (status: string, output: object[], usage: object | null) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status,
    model: 'm',
    output,
    usage,
  });
  const whole = pieces.join('');
  const usage = {
    input_tokens: USAGE.input,
    output_tokens: USAGE.output,
    total_tokens: 30,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
  const part = { type: 'output_text', text: whole, annotations: [] };
  const item = {
    text: { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] },
    reasoning: { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: whole }] },
    arguments: {
      id: 'fc_1',
      type: 'function_call',
      call_id: 'call_1',
      name: 'look_up',
      arguments: whole,
      status: 'completed',
    },
  }[place];
  const empty = {
    text: { ...item, status: 'in_progress', content: [] },
    reasoning: { ...item, summary: [] },
    arguments: { ...item, status: 'in_progress', arguments: '' },
  }[place];
  const at = { item_id: item.id, output_index: 0 };
  const middle = {
    text: [
      () => event('response.content_part.added', { ...at, content_index: 0, part: { ...part, text: '' } }),
      ...pieces.map(
        (piece) => () =>
          event('response.output_text.delta', { ...at, content_index: 0, delta: piece, logprobs: [] }),
      ),
      () => event('response.output_text.done', { ...at, content_index: 0, text: whole, logprobs: [] }),
      () => event('response.content_part.done', { ...at, content_index: 0, part }),
    ],
    reasoning: [
      ...pieces.map(
        (piece) => () =>
          event('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta: piece }),
      ),
      () => event('response.reasoning_summary_text.done', { ...at, summary_index: 0, text: whole }),
    ],
    arguments: [
      ...pieces.map(
        (piece) => () => event('response.function_call_arguments.delta', { ...at, delta: piece }),
      ),
      () => event('response.function_call_arguments.done', { ...at, arguments: whole }),
    ],
  }[place];
  return [
    event('response.created', { response: response('in_progress', [], null) }),
    event('response.in_progress', { response: response('in_progress', [], null) }),
    event('response.output_item.added', { output_index: 0, item: empty }),
    ...middle.map((write) => write()),
    event('response.output_item.done', { output_index: 0, item }),
    event('response.completed', { response: response('completed', [item], usage) }),
  ].join('');
}

/** @param pausesAfter text of the event after which the provider pauses for a moment */
export function sendEvents(
  provider: ScriptedServer,
  events: string,
  pausesAfter?: string,
  pauseMs = 25,
): void {
  provider.answer((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const place = pausesAfter === undefined ? -1 : events.indexOf(pausesAfter);
    if (place === -1) return void res.end(events);
    const end = events.indexOf('\n\n', place) + 2;
    res.write(events.slice(0, end));
    setTimeout(() => res.end(events.slice(end)), pauseMs);
  });
}

export function sendJsonAnswer(provider: ScriptedServer, answer: object): void {
  provider.answer(
    (_req, res) =>
      void res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
  );
}

/** A whole response with a text, reasoning and a tool call. */
export function wholeOf(api: Api, { text = 'Fine.', reasoning = 'Hm.', args = '{"q":"x"}' }): object {
  if (api === 'messages')
    return {
      ...{
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        stop_reason: 'tool_use',
        stop_sequence: null,
      },
      content: [
        { type: 'thinking', thinking: reasoning, signature: 'c2ln' },
        { type: 'text', text },
        { type: 'tool_use', id: 'toolu_1', name: 'look_up', input: JSON.parse(args) },
      ],
      usage: { input_tokens: USAGE.input, output_tokens: USAGE.output },
    };
  if (api === 'chat')
    return {
      ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'm' },
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: {
            role: 'assistant',
            content: text,
            reasoning_content: reasoning,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: args } }],
          },
        },
      ],
      usage: { prompt_tokens: USAGE.input, completion_tokens: USAGE.output, total_tokens: 30 },
    };
  return {
    ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm' },
    output: [
      { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: reasoning }] },
      {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
      {
        id: 'fc_1',
        type: 'function_call',
        call_id: 'call_1',
        name: 'look_up',
        arguments: args,
        status: 'completed',
      },
    ],
    usage: { input_tokens: USAGE.input, output_tokens: USAGE.output, total_tokens: 30 },
  };
}

import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import {
  json,
  type ReceivedRequest,
  type ScriptedProvider,
  startScriptedProvider,
} from './scripted-provider.ts';

/** A provider that stores its responses under its own ids: `resp_<name>_1`, `resp_<name>_2`, … */
export interface StoringProvider extends ScriptedProvider {
  /** Its responses, by their own ids. */
  stored: Map<string, object>;
}

const request = z.looseObject({
  model: z.string(),
  stream: z.boolean().optional(),
  background: z.boolean().optional(),
  previous_response_id: z.string().optional(),
  input: z.union([
    z.string(),
    z.array(z.looseObject({ type: z.string().optional(), id: z.string().optional() })),
  ]),
});

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 15,
};

export async function startStoringProvider(name: string): Promise<StoringProvider> {
  const stored = new Map<string, object>();
  const scripted = await startScriptedProvider((res, received) => answer(name, stored, res, received));
  return Object.assign(scripted, { stored });
}

/** Answers one request; the return value is not used. */
function answer(
  name: string,
  stored: Map<string, object>,
  res: ServerResponse,
  received: ReceivedRequest,
): unknown {
  const url = new URL(received.url, 'http://provider');
  const [id, below] = url.pathname.replace('/v1/responses', '').split('/').slice(1).map(decodeURIComponent);
  if (id === undefined) return create(name, stored, res, received);
  const response = stored.get(id);
  if (response === undefined) return notFound(res, received, `Response with id '${id}' not found.`);
  if (received.method === 'DELETE') {
    stored.delete(id);
    return json(200, JSON.stringify({ id, object: 'response', deleted: true }))(res, received);
  }
  if (below === 'input_items') {
    const data = [
      { id: 'msg_in', type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    ];
    const list = { object: 'list', data, first_id: 'msg_in', last_id: 'msg_in', has_more: false };
    return json(200, JSON.stringify(list))(res, received);
  }
  if (below === 'cancel')
    return json(200, JSON.stringify({ ...response, status: 'cancelled' }))(res, received);
  if (url.searchParams.get('stream') === 'true') return stream(res, response);
  return json(200, JSON.stringify(response))(res, received);
}

function create(
  name: string,
  stored: Map<string, object>,
  res: ServerResponse,
  received: ReceivedRequest,
): unknown {
  const {
    background = false,
    input,
    model,
    previous_response_id = null,
    stream: streamed,
  } = request.parse(JSON.parse(received.body));
  if (previous_response_id !== null && !stored.has(previous_response_id)) {
    const message = `Previous response with id '${previous_response_id}' not found.`;
    const error = {
      message,
      type: 'invalid_request_error',
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    };
    return json(400, JSON.stringify({ error }))(res, received);
  }
  const reference = Array.isArray(input)
    ? input.find(({ type }) => type === 'item_reference' || type === 'reasoning')
    : undefined;
  if (reference?.id !== undefined && !reference.id.startsWith(`msg_${name}`))
    return notFound(res, received, `Item with id '${reference.id}' not found.`, 'input');
  const id = `resp_${name}_${stored.size + 1}`;
  const text = { type: 'output_text', text: 'hello', annotations: [] };
  const response = {
    id,
    object: 'response',
    created_at: 1,
    status: background ? 'queued' : 'completed',
    model,
    output: background
      ? []
      : [{ id: `msg_${name}_1`, type: 'message', role: 'assistant', status: 'completed', content: [text] }],
    previous_response_id,
    usage: background ? null : USAGE,
  };
  stored.set(id, response);
  if (streamed === true) return stream(res, response);
  return json(200, JSON.stringify(response))(res, received);
}

/** Sends the shortest possible stream of a response. */
function stream(res: ServerResponse, response: object): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const events = [
    {
      type: 'response.created',
      sequence_number: 0,
      response: { ...response, status: 'in_progress', output: [], usage: null },
    },
    {
      type: 'response.output_text.delta',
      sequence_number: 1,
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      delta: 'hello',
    },
    { type: 'response.completed', sequence_number: 2, response },
  ];
  for (const event of events) res.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  res.end();
}

function notFound(
  res: ServerResponse,
  received: ReceivedRequest,
  message: string,
  param: string | null = null,
): void {
  const error = { message, type: 'invalid_request_error', param, code: null };
  json(404, JSON.stringify({ error }))(res, received);
}

import { z } from 'zod';
import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import { type ProviderExchange, urlOf } from '../http/exchange.ts';
import { requireModel } from '../models.ts';
import { checkItems } from '../responses/check-items.ts';
import { parseResponses } from '../responses/parse-responses.ts';
import { planResponse } from '../responses/plan-response.ts';
import { resolveInput } from '../responses/resolve-input.ts';
import { responseObject } from '../responses/response-object.ts';
import { listItems, progressOf, type StoredResponse } from '../responses/stored-responses.ts';
import { streamResponse } from '../responses/stream-response.ts';

/** POST /v1/responses */
export function createResponse(exchange: ProviderExchange): Answer {
  const { fault, json, responses, tokenDelayMs } = exchange;
  const request = parseResponses(json);
  requireModel(request.model, 'chat');
  const input = resolveInput(request, responses);
  checkItems(input);
  const response = planResponse(request, input.context, exchange);
  const { billed: units, serviceTier } = response;
  exchange.meter({ model: request.model, units, serviceTier, isIncremental: true });
  if (request.store !== false) responses.store(response, input, tokenDelayMs);
  if (request.stream === true)
    return eventsAnswer(streamResponse(response, { pingsOnly: fault.sse === 'pings_only' }));
  return jsonAnswer(responseObject(response, request.background === true ? 'queued' : 'ended'));
}

/** POST /v1/responses/compact: the last message of the user, and an item that stands for all before. */
export function compactResponse(exchange: ProviderExchange): Answer {
  const request = parseResponses(exchange.json);
  requireModel(request.model, 'chat');
  const input = resolveInput(request, exchange.responses);
  checkItems(input);
  const { billed: units, createdAt, id, serviceTier, usage } = planResponse(request, input.context, exchange);
  exchange.meter({ model: request.model, units, serviceTier });
  const last = input.items.findLast(({ type }) => type === 'message');
  const compaction = { type: 'compaction', id: `cmp_${id}`, encrypted_content: `compacted-${id}` };
  const output = last === undefined ? [compaction] : [last, compaction];
  return jsonAnswer({ id, object: 'response.compaction', created_at: createdAt, output, usage });
}

const retrieval = z.object({
  stream: z.enum(['true', 'false']).optional(),
  starting_after: z.coerce.number().int().min(0).optional(),
});

/** GET /v1/responses/:id, which can also continue a stream that runs in the background */
export function retrieveResponse(exchange: ProviderExchange): Answer {
  const stored = requireResponse(exchange);
  const query = parseFields(retrieval, Object.fromEntries(urlOf(exchange).searchParams));
  if (query.stream !== 'true') return answerOf(stored);
  const { background, stream } = stored.response.request;
  if (background !== true || stream !== true) {
    throw new ProviderError(
      400,
      'This response cannot be streamed because it was not created with background=true and stream=true.',
      { param: 'stream' },
    );
  }
  return eventsAnswer(streamResponse(stored.response, { after: query.starting_after, pingsOnly: false }));
}

/** DELETE /v1/responses/:id */
export function deleteResponse(exchange: ProviderExchange): Answer {
  const { id } = requireResponse(exchange).response;
  exchange.responses.delete(id);
  return jsonAnswer({ id, object: 'response', deleted: true });
}

/** POST /v1/responses/:id/cancel, which changes nothing the second time */
export function cancelResponse(exchange: ProviderExchange): Answer {
  const stored = requireResponse(exchange);
  if (stored.response.request.background !== true) {
    throw new ProviderError(400, 'Cannot cancel a synchronous response.');
  }
  if (progressOf(stored) === 'ended') throw new ProviderError(400, 'Cannot cancel a completed response.');
  stored.isCancelled = true;
  return answerOf(stored);
}

/** GET /v1/responses/:id/input_items */
export function listInputItems(exchange: ProviderExchange): Answer {
  return jsonAnswer(listItems(requireResponse(exchange).context, urlOf(exchange).searchParams));
}

function answerOf(stored: StoredResponse): Answer {
  return jsonAnswer(responseObject(stored.response, progressOf(stored)));
}

/** @throws ProviderError 404 */
function requireResponse(exchange: ProviderExchange): StoredResponse {
  const id = decodeURIComponent(/\/responses\/([^/]+)/.exec(urlOf(exchange).pathname)?.[1] ?? '');
  const stored = exchange.responses.find(id);
  if (stored === undefined) throw new ProviderError(404, `Response with id '${id}' not found.`);
  return stored;
}

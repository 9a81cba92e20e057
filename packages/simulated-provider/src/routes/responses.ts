import { z } from 'zod';
import { type Answer, eventsAnswer, jsonAnswer } from '../answers/answer.ts';
import { parseFields } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';
import type { ProviderExchange } from '../http/exchange.ts';
import { requireModel } from '../models.ts';
import { checkItems } from '../responses/check-items.ts';
import { listItems } from '../responses/list-items.ts';
import { parseResponses } from '../responses/parse-request.ts';
import { planResponse } from '../responses/plan-response.ts';
import { resolveInput } from '../responses/resolve-input.ts';
import { responseObject } from '../responses/response-object.ts';
import { progressOf, type StoredResponse } from '../responses/stored-responses.ts';
import { streamResponse } from '../responses/stream-response.ts';
import { loadTokenizer } from '../text/tokenizer.ts';

/** POST /v1/responses */
export async function createResponse(exchange: ProviderExchange): Promise<Answer> {
  const { credential, fault, json, responses, signal, tokenDelayMs } = exchange;
  const request = parseResponses(json);
  requireModel(request.model, 'chat');
  const input = resolveInput(request, responses);
  checkItems(input);
  const tokenizer = await loadTokenizer();
  const response = planResponse(request, input.context, { credential, fault, tokenizer });
  if (request.store !== false) responses.keep(response, input, tokenDelayMs);
  if (request.stream !== true) {
    return jsonAnswer(responseObject(response, request.background === true ? 'queued' : 'ended'));
  }
  const pingsOnly = fault.sse === 'pings_only';
  return eventsAnswer(streamResponse(response, { pingsOnly, signal, tokenDelayMs, tokenizer }));
}

const retrieval = z.object({
  stream: z.enum(['true', 'false']).optional(),
  starting_after: z.coerce.number().int().min(0).optional(),
});

/** GET /v1/responses/:id, which can also go on with a stream that was made in the background */
export async function retrieveResponse(exchange: ProviderExchange): Promise<Answer> {
  const { signal, tokenDelayMs } = exchange;
  const kept = requireResponse(exchange);
  const query = parseFields(retrieval, Object.fromEntries(urlOf(exchange).searchParams));
  if (query.stream !== 'true') return answerOf(kept);
  const { background, stream } = kept.response.request;
  if (background !== true || stream !== true) {
    throw new ProviderError(
      400,
      'This response cannot be streamed because it was not created with background=true and stream=true.',
      { param: 'stream' },
    );
  }
  const tokenizer = await loadTokenizer();
  const after = query.starting_after ?? -1;
  return eventsAnswer(
    streamResponse(kept.response, { after, pingsOnly: false, signal, tokenDelayMs, tokenizer }),
  );
}

/** DELETE /v1/responses/:id */
export function deleteResponse(exchange: ProviderExchange): Answer {
  const { id } = requireResponse(exchange).response;
  exchange.responses.delete(id);
  return jsonAnswer({ id, object: 'response', deleted: true });
}

/** POST /v1/responses/:id/cancel; once more, it changes nothing */
export function cancelResponse(exchange: ProviderExchange): Answer {
  const kept = requireResponse(exchange);
  if (kept.response.request.background !== true) {
    throw new ProviderError(400, 'Cannot cancel a synchronous response.');
  }
  if (progressOf(kept) === 'ended') throw new ProviderError(400, 'Cannot cancel a completed response.');
  kept.isCancelled = true;
  return answerOf(kept);
}

/** GET /v1/responses/:id/input_items */
export function listInputItems(exchange: ProviderExchange): Answer {
  return jsonAnswer(listItems(requireResponse(exchange).context, urlOf(exchange).searchParams));
}

function answerOf(kept: StoredResponse): Answer {
  return jsonAnswer(responseObject(kept.response, progressOf(kept)));
}

/** @throws ProviderError 404 */
function requireResponse(exchange: ProviderExchange): StoredResponse {
  const id = decodeURIComponent(/\/responses\/([^/]+)/.exec(urlOf(exchange).pathname)?.[1] ?? '');
  const kept = exchange.responses.find(id);
  if (kept === undefined) throw new ProviderError(404, `Response with id '${id}' not found.`);
  return kept;
}

function urlOf({ req }: ProviderExchange): URL {
  return new URL(req.url ?? '', 'http://localhost');
}

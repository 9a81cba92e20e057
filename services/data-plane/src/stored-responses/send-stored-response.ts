import { responseEnded, responseNotFound, responseNotStreamed } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { sendJson } from '../http/send-json.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import { refuseForbiddenResponse } from '../rules/refuse-forbidden-response.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';
import { inputPage, parsePageQuery } from './input-page.ts';
import type { FoundResponse } from './stored-response.ts';
import type { StoredResponseQuery } from './stored-response-query.ts';
import type { StoredResponseStore } from './stored-response-store.ts';

/**
 * Answers a request about a response that the gateway stores.
 * @throws GatewayError 404 if it is not there; 403 if rules do not allow its model; 400; 503; ClientGone
 */
export async function sendStoredResponse(
  { answerBudget }: { answerBudget: MemoryBudget },
  store: Pick<StoredResponseStore, 'find' | 'remove'>,
  exchange: AuthenticatedExchange,
  query: StoredResponseQuery,
): Promise<void> {
  const { record, res, stop } = exchange;
  const { accountId } = record.key;
  const { id, what } = query;
  const claim = claimMemory(exchange, answerBudget);
  const claimBytes = (bytes: number) => {
    if (!claim.tryTake(bytes)) throw answerBudget.refusal();
  };
  const { response } = await store.find(accountId, { responseId: id, itemIds: [] }, claimBytes);
  stop.signal.throwIfAborted();
  if (response === undefined) throw responseNotFound(id);
  refuseForbiddenResponse(record, response);
  const answer = answerTo(query, response);
  if (what === 'delete') await store.remove(accountId, id, response.output);
  stop.signal.throwIfAborted();
  sendJson(res, answer, {
    'x-gateway-model': response.modelId,
    [OVERHEAD_HEADER]: overheadMs(exchange),
  });
}

/** Builds the JSON; for `delete`, that of its success. */
function answerTo({ id, query, streamed, what }: StoredResponseQuery, found: FoundResponse): object {
  if (what === 'cancel') throw responseEnded(id);
  if (what === 'delete') return { id, object: 'response', deleted: true };
  if (what === 'input_items') return inputPage(id, found.input, parsePageQuery(query));
  if (streamed) throw responseNotStreamed(id);
  return found.response;
}

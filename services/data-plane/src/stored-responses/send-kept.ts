import { responseEnded, responseNotFound, responseNotStreamed } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { claimMemory } from '../memory/claim-memory.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import { OVERHEAD_HEADER, overheadMs } from '../upstream/overhead.ts';
import { inputPage, parsePageQuery } from './input-page.ts';
import type { KeptQuestion } from './kept-question.ts';
import type { FoundResponse } from './kept-response.ts';
import type { KeptResponseStore } from './kept-response-store.ts';

/**
 * Answers a question about a response that the gateway itself keeps.
 * @throws GatewayError 404 when it is not there; 400; 503; ClientGone
 */
export async function sendKept(
  { answerBudget }: { answerBudget: MemoryBudget },
  store: Pick<KeptResponseStore, 'find' | 'remove'>,
  exchange: AuthenticatedExchange,
  question: KeptQuestion,
): Promise<void> {
  const { record, res, stop } = exchange;
  const { accountId } = record.key;
  const { id, what } = question;
  const claim = claimMemory(exchange, answerBudget);
  const takeRoom = (bytes: number) => {
    if (!claim.tryTake(bytes)) throw answerBudget.refusal();
  };
  const { response } = await store.find(accountId, { responseId: id, itemIds: [] }, takeRoom);
  stop.signal.throwIfAborted();
  if (response === undefined) throw responseNotFound(id);
  const answer = answerTo(question, response);
  if (what === 'delete') await store.remove(accountId, id, response.output);
  stop.signal.throwIfAborted();
  res.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': answer.length,
    'x-gateway-model': response.modelId,
    [OVERHEAD_HEADER]: overheadMs(exchange),
  });
  res.end(answer);
}

/** @returns JSON; of `delete` what is told when it is done */
function answerTo({ id, query, streamed, what }: KeptQuestion, found: FoundResponse): Buffer {
  if (what === 'cancel') throw responseEnded(id);
  if (what === 'delete') return json({ id, object: 'response', deleted: true });
  if (what === 'input_items') return json(inputPage(id, found.input, parsePageQuery(query)));
  if (streamed) throw responseNotStreamed(id);
  return found.response;
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

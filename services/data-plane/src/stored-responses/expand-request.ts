import { editJson, type JsonBody } from '@model-gateway/dialects';
import { type ResponsesRequest, responsesRequest } from '@model-gateway/shared';
import { bodyTooLarge, invalidField } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type ValidateBodyContext, validateBody } from '../http/read-json-body.ts';
import { claimMemory } from '../memory/claim-memory.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import { expandedInput } from './expanded-input.ts';
import { inputOf } from './held-input.ts';
import { isOwnId, sizeOf } from './stored-response.ts';
import type { StoredResponseStore } from './stored-response-store.ts';

/** More than the turns of any conversation. */
const MOST_REFERENCES = 1_000;

export interface ExpandContext extends ValidateBodyContext {
  maxJsonBodyBytes: number;
  bodyBudget: MemoryBudget;
  /** Undefined: this gateway stores none. */
  storedResponses: { store: Pick<StoredResponseStore, 'find'> } | undefined;
}

export interface RequestToExpand {
  body: JsonBody<ResponsesRequest>;
  /** True if a provider of the model may get the request as it is. */
  mayPass: boolean;
  /** @throws GatewayError 429 when the key is known to be at its limits */
  checkLimits: (arrived: readonly Buffer[]) => void;
}

/**
 * Puts what is kept into a request that names it. Then it is a whole conversation, which any model can be
 * asked. What is not there stays as it is: a provider may have it, and the steps that follow refuse the rest.
 * @throws GatewayError 503 while what is kept cannot be read, or without room for it; 413; 400; ClientGone
 */
export async function expandRequest(
  context: ExpandContext,
  exchange: AuthenticatedExchange,
  { body, checkLimits, mayPass }: RequestToExpand,
): Promise<JsonBody<ResponsesRequest>> {
  const { goesOn, itemReferences, previousResponseId } = body.value;
  const { key } = exchange.record;
  const { storedResponses } = context;
  if (!goesOn || storedResponses === undefined) return body;
  const responseId =
    previousResponseId !== undefined && isOwnId(previousResponseId) ? previousResponseId : undefined;
  const named = itemReferences.filter(({ id }) => isOwnId(id));
  if (responseId === undefined && named.length === 0) return body;
  if (named.length > MOST_REFERENCES)
    throw invalidField('input', `refers to more than ${MOST_REFERENCES} items`);
  checkLimits(body.chunks);

  const claim = claimMemory(exchange, context.bodyBudget);
  const takeRoom = (bytes: number) => {
    if (!claim.tryTake(bytes)) throw context.bodyBudget.refusal();
  };
  const itemIds = [...new Set(named.map(({ id }) => id))];
  const { items, response: before } = await storedResponses.store.find(
    key.accountId,
    { responseId, itemIds },
    takeRoom,
  );
  exchange.stop.signal.throwIfAborted();
  const references = new Map(
    named.flatMap(({ id, index }) => {
      const item = items.get(id);
      return item === undefined ? [] : [[index, item] as const];
    }),
  );
  // Without the response before it, the rest makes no conversation.
  if ((responseId !== undefined && before === undefined) || (before === undefined && references.size === 0)) {
    claim.giveBack();
    return body;
  }
  const input = await expandedInput(inputOf(body), { before, references, withoutReasoning: mayPass });
  const chunks = editJson(body.chunks, body.members, {
    input,
    ...(before === undefined ? {} : { previous_response_id: undefined }),
  });
  if (sizeOf(chunks) > context.maxJsonBodyBytes) throw bodyTooLarge(context.maxJsonBodyBytes);
  const expanded = await validateBody(exchange, responsesRequest, chunks, context, checkLimits);
  return { ...expanded, value: withPreviousId(expanded.value, previousResponseId) };
}

function withPreviousId(value: ResponsesRequest, previousResponseId: string | undefined): ResponsesRequest {
  if (previousResponseId === undefined) return value;
  return { ...value, echo: { ...value.echo, previous_response_id: previousResponseId } };
}

import { editJson, type JsonBody } from '@model-gateway/dialects';
import { type ResponsesRequest, responsesRequest } from '@model-gateway/shared';
import { bodyTooLarge, invalidField } from '@model-gateway/shared/errors';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type ValidateBodyContext, validateBody } from '../http/read-json-body.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import { expandedInput } from './expanded-input.ts';
import { inputOf } from './held-input.ts';
import { isOwnId, sizeOf } from './stored-response.ts';
import type { StoredResponseStore } from './stored-response-store.ts';

/** More references than any conversation has. */
const MAX_REFERENCES = 1_000;

export interface ExpandContext extends ValidateBodyContext {
  maxJsonBodyBytes: number;
  bodyBudget: MemoryBudget;
  /** Undefined: the gateway stores no responses. */
  storedResponses: { store: Pick<StoredResponseStore, 'find'> } | undefined;
}

export interface RequestToExpand {
  body: JsonBody<ResponsesRequest>;
  /** True if a provider of the model may get the request unchanged. */
  mayPass: boolean;
  /** @throws GatewayError 429 when the key is known to be at its limits */
  checkLimits: (arrived: readonly Buffer[]) => void;
}

/**
 * Inserts stored items into a request that refers to them, so that any model can serve the whole
 * conversation. Unknown references stay: a provider may know them, and later steps refuse the rest.
 * @throws GatewayError 503 if the store cannot be read, or without memory; 413; 400; ClientGone
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
  const ownReferences = itemReferences.filter(({ id }) => isOwnId(id));
  if (responseId === undefined && ownReferences.length === 0) return body;
  if (ownReferences.length > MAX_REFERENCES)
    throw invalidField('input', `refers to more than ${MAX_REFERENCES} items`);
  checkLimits(body.chunks);

  const claim = claimMemory(exchange, context.bodyBudget);
  const claimBytes = (bytes: number) => {
    if (!claim.tryTake(bytes)) throw context.bodyBudget.refusal();
  };
  const itemIds = [...new Set(ownReferences.map(({ id }) => id))];
  const { items, response: previous } = await storedResponses.store.find(
    key.accountId,
    { responseId, itemIds },
    claimBytes,
  );
  exchange.stop.signal.throwIfAborted();
  const references = new Map(
    ownReferences.flatMap(({ id, index }) => {
      const item = items.get(id);
      return item === undefined ? [] : [[index, item] as const];
    }),
  );
  // Items without their previous response make no conversation.
  if (
    (responseId !== undefined && previous === undefined) ||
    (previous === undefined && references.size === 0)
  ) {
    claim.giveBack();
    return body;
  }
  const input = await expandedInput(inputOf(body), { previous, references, withoutReasoning: mayPass });
  const chunks = editJson(body.chunks, body.members, {
    input,
    ...(previous === undefined ? {} : { previous_response_id: undefined }),
  });
  if (sizeOf(chunks) > context.maxJsonBodyBytes) throw bodyTooLarge(context.maxJsonBodyBytes);
  const expanded = await validateBody(exchange, responsesRequest, chunks, context, checkLimits);
  return { ...expanded, value: echoPreviousId(expanded.value, previousResponseId) };
}

function echoPreviousId(value: ResponsesRequest, previousResponseId: string | undefined): ResponsesRequest {
  if (previousResponseId === undefined) return value;
  return { ...value, echo: { ...value.echo, previous_response_id: previousResponseId } };
}

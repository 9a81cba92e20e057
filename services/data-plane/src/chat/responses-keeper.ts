import type { Chat, JsonBody, WrittenRequest } from '@model-gateway/dialects';
import type { ResponsesRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import { storesResponses } from '../catalog/stores-responses.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { AnswerKeeper } from '../stored-responses/answer-keeper.ts';
import type { KeptResponses } from '../stored-responses/connect-kept-responses.ts';
import { heldInput } from '../stored-responses/held-input.ts';
import type { ChatContext } from './chat-context.ts';

/** The same translation, without `store` among what is ignored: the gateway itself does what it asks for. */
export function keepingStore(written: Chat['written']): Chat['written'] {
  const withStore = ({ body, ignored }: WrittenRequest) => ({
    body,
    ignored: ignored.filter((name) => name !== 'store'),
  });
  return (...to) => {
    const request = written(...to);
    return request instanceof Promise ? request.then(withStore) : withStore(request);
  };
}

/** @returns undefined where nothing is kept, or where no answer of this model is written here */
export function keeperFor(
  exchange: AuthenticatedExchange,
  body: JsonBody<ResponsesRequest>,
  { upstreams }: RoutedModel,
  { bodyBudget, keptResponses }: ChatContext & { keptResponses: KeptResponses | undefined },
): AnswerKeeper | undefined {
  if (keptResponses === undefined || !body.value.store) return undefined;
  if (upstreams.every(({ provider }) => storesResponses(provider))) return undefined;
  const input = heldInput(exchange, body, bodyBudget);
  if (typeof input !== 'string') return new AnswerKeeper(exchange, { keptResponses, bodyBudget }, input);
  keptResponses.reports.kept(input, exchange.record.id);
  return undefined;
}

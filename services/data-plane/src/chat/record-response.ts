import type { Chat, JsonBody, TranslatedBody } from '@model-gateway/dialects';
import type { ResponsesRequest } from '@model-gateway/shared';
import { type RoutedModel, storesResponses } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { StoredResponses } from '../stored-responses/connect-stored-responses.ts';
import { holdInput } from '../stored-responses/held-input.ts';
import { ResponseRecorder } from '../stored-responses/response-recorder.ts';
import type { ChatContext } from './chat-call.ts';

/** Drops `store` from the ignored fields of a translation: the gateway itself stores the response. */
export function hideIgnoredStore(translate: Chat['translate']): Chat['translate'] {
  const withStore = ({ body, ignored }: TranslatedBody) => ({
    body,
    ignored: ignored.filter((name) => name !== 'store'),
  });
  return (...to) => {
    const request = translate(...to);
    return request instanceof Promise ? request.then(withStore) : withStore(request);
  };
}

/**
 * Creates the recorder of a response.
 * @returns undefined if nothing is stored, or if every provider of the model stores responses itself
 */
export function createRecorder(
  exchange: AuthenticatedExchange,
  body: JsonBody<ResponsesRequest>,
  { upstreams }: RoutedModel,
  { bodyBudget, storedResponses }: ChatContext & { storedResponses: StoredResponses | undefined },
): ResponseRecorder | undefined {
  if (storedResponses === undefined || !body.value.store) return undefined;
  if (upstreams.every(({ provider }) => storesResponses(provider))) return undefined;
  const input = holdInput(exchange, body, bodyBudget);
  if (typeof input !== 'string')
    return new ResponseRecorder(exchange, { storedResponses, bodyBudget }, input);
  storedResponses.reports.stored(input, exchange.record.id);
  return undefined;
}

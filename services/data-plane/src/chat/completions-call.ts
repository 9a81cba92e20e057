import {
  ChatCompletionsWriter,
  endpointOf,
  type JsonBody,
  type TextCompletion,
} from '@model-gateway/dialects';
import type { CompletionsRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { prepareText, type TextContext, textCall } from './text-call.ts';

/** POST /v1/completions, plain and streamed. */
export function completionsCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<CompletionsRequest>,
  model: RoutedModel,
  shared: TextContext,
): CapabilityCall {
  const { choices, echoed, includeUsage, returnedChoices } = body.value;
  // A stream shows neither how much `best_of` has generated nor where an echo ends.
  const mayOutliveStream = choices > returnedChoices || echoed !== undefined;
  const prepared = prepareText(exchange, { body, model, mayOutliveStream }, shared);
  const caller = new ChatCompletionsWriter(prepared.meter, model.id, includeUsage);
  return textCall<TextCompletion>(prepared, {
    request: { body, caller },
    endpoint: (protocol) => endpointOf(protocol, 'completions'),
    isRepeatable: () => true,
  });
}

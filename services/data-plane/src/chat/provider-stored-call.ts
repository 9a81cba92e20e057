import type {
  ProviderProtocol,
  ProviderStoredEndpoint,
  ProviderStoredRequest,
} from '@model-gateway/dialects';
import { NO_UNITS } from '@model-gateway/shared';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { EventRelay, type StreamTimings } from '../upstream/relay-event-stream.ts';
import { JsonRelay, type WholeAnswers } from '../upstream/relay-json.ts';

/** Builds the free call that reads or changes a provider-stored response. */
export function providerStoredCall(
  exchange: AuthenticatedExchange,
  request: ProviderStoredRequest,
  shared: WholeAnswers & { streamTimings: StreamTimings },
): CapabilityCall {
  return {
    streamed: request.streamed,
    maxUnits: NO_UNITS,
    ...SIZED_BY_REQUEST,
    isRepeatable: () => true,
    buildRequest: (protocol, upstreamModel, pace) =>
      storedEndpoint(protocol).buildRequest(request, upstreamModel, pace),
    answer: request.streamed
      ? new EventRelay(exchange, shared.streamTimings, {
          api: 'responses',
          translator: ({ protocol, id }: RoutedProvider) => storedEndpoint(protocol).events(request, id),
          usage: () => undefined,
        })
      : new JsonRelay(
          exchange,
          shared,
          ({ protocol, id }) => storedEndpoint(protocol).whole(request, id),
          'responses',
        ),
  };
}

function storedEndpoint({ endpoints }: ProviderProtocol): ProviderStoredEndpoint {
  const endpoint = endpoints.chat?.providerStored;
  if (endpoint === undefined) throw new Error('the provider stores no responses');
  return endpoint;
}

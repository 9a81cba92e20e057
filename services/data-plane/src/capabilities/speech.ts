import { endpointOf, type JsonBody, usageOf } from '@model-gateway/dialects';
import { NO_UNITS, type SpeechRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { TranslationContext } from '../chat/request-translation.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { EventRelay, type StreamTimings } from '../upstream/relay-event-stream.ts';
import type { WholeAnswers } from '../upstream/relay-json.ts';
import { SpeechRelay } from './speech-relay.ts';
import { TranslatableRequest } from './translatable-request.ts';
import { TypedEvents } from './typed-events.ts';

/** POST /v1/audio/speech: the audio as it arrives, or its events. Metered by the characters of the input. */
export function speechCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<SpeechRequest>,
  model: RoutedModel,
  shared: WholeAnswers & TranslationContext & { streamTimings: StreamTimings },
): CapabilityCall {
  const request = new TranslatableRequest(exchange, body, model, shared);
  const { characters, streamed } = body.value;
  const usage = usageOf('gateway', { characters });
  return {
    streamed,
    isRepeatable: () => request.isRepeatable,
    maxUnits: { ...NO_UNITS, characters },
    ...SIZED_BY_REQUEST,
    buildRequest: (protocol, upstreamModel, pace) =>
      endpointOf(protocol, 'speech').buildRequest(request, upstreamModel, pace),
    estimateUnread: () => usage,
    answer: streamed
      ? new EventRelay(
          exchange,
          shared.streamTimings,
          new TypedEvents(() => {
            let delivered = false;
            return {
              onEvent: () => {
                delivered = true;
              },
              usage: () => (delivered ? usage : undefined),
            };
          }),
        )
      : new SpeechRelay(exchange, body.value, shared),
  };
}

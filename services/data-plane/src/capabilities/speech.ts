import { NO_UNITS, SPEECH_CONTENT_TYPES, type SpeechRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { TranslationContext } from '../dialects/request-translation.ts';
import type { JsonBody } from '../json/json-body.ts';
import { usageOf } from '../metering/usage.ts';
import { endpointOf } from '../providers/dialect.ts';
import type { Exchange } from '../request-record.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { BytesRelay } from '../upstream/relay-bytes.ts';
import { EventRelay, type StreamTimings } from '../upstream/relay-event-stream.ts';
import { TranslatableRequest } from './translatable-request.ts';
import { TypedEvents } from './typed-events.ts';

/** POST /v1/audio/speech: the audio as it arrives, or its events. Metered by the characters of the input. */
export function speechCall(
  exchange: Exchange,
  body: JsonBody<SpeechRequest>,
  model: RoutedModel,
  shared: TranslationContext & { streamTimings: StreamTimings },
): CapabilityCall {
  const timings = shared.streamTimings;
  const request = new TranslatableRequest(exchange, body, model, shared);
  const { characters, format, streamed } = body.value;
  const usage = usageOf('gateway', { characters });
  let delivered = false;
  return {
    streamed,
    isRepeatable: () => request.isRepeatable,
    most: { ...NO_UNITS, characters },
    ...SIZED_BY_REQUEST,
    ask: (dialect, upstreamModel, pace) => endpointOf(dialect, 'speech').ask(request, upstreamModel, pace),
    answer: streamed
      ? new EventRelay(
          exchange,
          timings,
          new TypedEvents({
            onEvent: () => {
              delivered = true;
            },
            usage: () => (delivered ? usage : undefined),
          }),
        )
      : new BytesRelay(exchange, timings, {
          contentType: SPEECH_CONTENT_TYPES[format],
          accepts: /^(audio\/|application\/octet-stream)/i,
          usage: () => usage,
        }),
  };
}

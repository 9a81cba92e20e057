import { NO_UNITS, type SpeechFormat, type SpeechRequest } from '@model-gateway/shared';
import type { Exchange } from '../request-record.ts';
import type { JsonBody } from '../steps/read-json-body.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { BytesRelay } from '../upstream/relay-bytes.ts';
import { EventRelay, type StreamTimings } from '../upstream/relay-event-stream.ts';
import { jsonProviderBody } from './provider-body.ts';
import { TypedEvents } from './typed-events.ts';
import { usageOf } from './usage.ts';

const CONTENT_TYPES: Record<SpeechFormat, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

/** POST /v1/audio/speech: the audio as it arrives, or its events. Metered by the characters of the input. */
export function speechCall(
  exchange: Exchange,
  body: JsonBody<SpeechRequest>,
  timings: StreamTimings,
): CapabilityCall {
  const { characters, format, streamed } = body.value;
  const usage = usageOf('gateway', { characters });
  let delivered = false;
  return {
    path: '/audio/speech',
    accept: streamed ? 'text/event-stream' : CONTENT_TYPES[format],
    streamed,
    repeatable: true,
    most: { ...NO_UNITS, characters },
    ...SIZED_BY_REQUEST,
    body: (upstreamModel) => jsonProviderBody(body, { model: JSON.stringify(upstreamModel) }),
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
          contentType: CONTENT_TYPES[format],
          accepts: /^(audio\/|application\/octet-stream)/i,
          usage: () => usage,
        }),
  };
}

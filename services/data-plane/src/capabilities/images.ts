import { type ImagesRequest, imagesAnswer, NO_UNITS } from '@model-gateway/shared';
import type { Exchange } from '../request-record.ts';
import type { JsonBody } from '../steps/read-json-body.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { badGateway } from '../upstream/provider-errors.ts';
import { EventRelay, type StreamTimings } from '../upstream/relay-event-stream.ts';
import { JsonRelay, type LargeJsonAnswer, type WholeAnswers } from './answer-json.ts';
import type { OutlinedAnswer } from './outlined-answer.ts';
import { jsonProviderBody } from './provider-body.ts';
import { TypedEvents } from './typed-events.ts';
import { isAbsurdUsage, usageOf, withoutAbsurdUsage } from './usage.ts';

/** POST /v1/images/generations, plain and streamed. Metered by the images that came, up to as many as were asked for. */
export function imagesCall(
  exchange: Exchange,
  body: JsonBody<ImagesRequest>,
  shared: WholeAnswers & { streamTimings: StreamTimings },
): CapabilityCall {
  const { streamed, count } = body.value;
  return {
    path: '/images/generations',
    accept: streamed ? 'text/event-stream' : 'application/json',
    streamed,
    repeatable: true,
    most: { ...NO_UNITS, images: count },
    ...SIZED_BY_REQUEST,
    body: (upstreamModel) => jsonProviderBody(body, { model: JSON.stringify(upstreamModel) }),
    answer: streamed
      ? new EventRelay(exchange, shared.streamTimings, imageEvents(count))
      : new JsonRelay(exchange, shared, {
          whole: (value) => {
            const parsed = imagesAnswer.safeParse(value);
            if (!parsed.success) throw badGateway(parsed.error);
            return {
              body: withoutAbsurdUsage(parsed.data),
              usage: usageOf('gateway', { images: Math.min(count, parsed.data.data.length) }),
            };
          },
          outline: { within: 'data', depth: 2 },
          large: (answer) => largeImages(answer, count),
        }),
  };
}

function largeImages(answer: OutlinedAnswer, count: number): LargeJsonAnswer {
  const images = answer.entries('data');
  if (images === undefined || images.length === 0 || !images.every(({ kind }) => kind === 'object'))
    throw badGateway(new Error('the provider answered JSON that holds no images'));
  return {
    pieces: answer.edit(isAbsurdUsage(answer.small('usage')) ? { usage: undefined } : {}),
    usage: usageOf('gateway', { images: Math.min(count, images.length) }),
  };
}

function imageEvents(count: number): TypedEvents {
  let images = 0;
  return new TypedEvents({
    onEvent: ({ type }) => {
      if (type === 'image_generation.completed') images++;
    },
    usage: () => (images === 0 ? undefined : usageOf('gateway', { images: Math.min(count, images) })),
  });
}

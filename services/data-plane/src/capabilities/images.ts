import {
  endpointOf,
  isAbsurdUsage,
  type JsonBody,
  type JsonTranslator,
  type LargeJsonAnswer,
  type OutlinedResponse,
  type Usage,
  unexpectedJson,
  usageOf,
  withoutAbsurdUsage,
} from '@model-gateway/dialects';
import { type ImagesRequest, imagesAnswer, reportedUsage, type Units } from '@model-gateway/shared';
import { maxUnitsOfImages } from '../billing/max-units.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { TranslationContext } from '../chat/request-translation.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { EventRelay, type StreamTimings } from '../upstream/relay-event-stream.ts';
import { JsonRelay, type WholeAnswers } from '../upstream/relay-json.ts';
import { ImageEvents } from './image-events.ts';
import { TranslatableRequest } from './translatable-request.ts';

/**
 * POST /v1/images/generations, plain and streamed. Metered by delivered images, at most as many as requested,
 * and by the provider's tokens where the model prices them.
 */
export function imagesCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<ImagesRequest>,
  model: RoutedModel,
  shared: WholeAnswers & TranslationContext & { streamTimings: StreamTimings },
): CapabilityCall {
  const { streamed } = body.value;
  const maxUnits = maxUnitsOfImages(body.value, body.size, model);
  const request = new TranslatableRequest(exchange, body, model, shared);
  const whole = (value: unknown) => {
    const parsed = imagesAnswer.safeParse(value);
    if (!parsed.success) throw unexpectedJson(parsed.error);
    return {
      body: withoutAbsurdUsage(parsed.data),
      usage: imagesUsage(parsed.data.data.length, maxUnits, [parsed.data.usage]),
    };
  };
  const passthrough: JsonTranslator = {
    whole,
    outline: { within: 'data', depth: 2 },
    large: (answer) => largeImages(answer, maxUnits),
  };
  return {
    streamed,
    isRepeatable: () => request.isRepeatable,
    maxUnits,
    ...SIZED_BY_REQUEST,
    buildRequest: (protocol, upstreamModel, pace) =>
      endpointOf(protocol, 'images').buildRequest(request, upstreamModel, pace),
    estimateUnread: () => usageOf('estimated', maxUnits),
    answer: streamed
      ? new EventRelay(exchange, shared.streamTimings, imageEvents(exchange, maxUnits))
      : new JsonRelay(exchange, shared, ({ protocol }, _upstreamModel, headers) => {
          const { convertResponse, maxResponseBytes: maxBytes } = endpointOf(protocol, 'images');
          if (convertResponse === undefined) return passthrough;
          return { whole: (value) => whole(convertResponse(value, body.value, headers)), maxBytes };
        }),
  };
}

function largeImages(answer: OutlinedResponse, maxUnits: Units): LargeJsonAnswer {
  const images = answer.entries('data');
  if (images === undefined || images.length === 0 || !images.every(({ kind }) => kind === 'object'))
    throw unexpectedJson(new Error('it holds no images'));
  const reported = answer.small('usage');
  return {
    pieces: answer.edit(isAbsurdUsage(reported) ? { usage: undefined } : {}),
    usage: imagesUsage(images.length, maxUnits, [reported]),
  };
}

function imageEvents(exchange: AuthenticatedExchange, maxUnits: Units): ImageEvents {
  return new ImageEvents({
    usage: (images, reported) => imagesUsage(images, maxUnits, reported),
    // A failed provider delivered no image. A client that left has received part of one and pays for it.
    countsPartials: () => exchange.record.outcome !== 'failed' && exchange.record.outcome !== 'rejected',
  });
}

/**
 * @param delivered number of images
 * @param reported the provider's `usage` of each response or event that had one
 */
function imagesUsage(delivered: number, maxUnits: Units, reported: readonly unknown[]): Usage {
  const images = Math.min(maxUnits.images, delivered);
  if (maxUnits.outputTokens === 0 && maxUnits.inputTokens === 0) return usageOf('gateway', { images });
  const counts = reported.flatMap((usage) => {
    const { input_tokens: input, output_tokens: output } = reportedUsage.safeParse(usage).data ?? {};
    return input === undefined || output === undefined ? [] : [{ input, output }];
  });
  if (counts.length === 0) {
    const outputTokens = Math.ceil((maxUnits.outputTokens * images) / maxUnits.images);
    return usageOf('estimated', { images, inputTokens: maxUnits.inputTokens, outputTokens });
  }
  const outputs = counts.map(({ output }) => output);
  const total = outputs.reduce((sum, output) => sum + output, 0);
  return usageOf('provider', {
    images,
    inputTokens: Math.max(...counts.map(({ input }) => input)),
    // Some providers report each image alone, some the total so far.
    outputTokens: Math.max(...outputs, Math.min(total, maxUnits.outputTokens)),
  });
}

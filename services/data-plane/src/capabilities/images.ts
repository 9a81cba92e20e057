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
import {
  type ImagesRequest,
  imagesAnswer,
  reportedUsage,
  type Unit,
  type Units,
} from '@model-gateway/shared';
import { z } from 'zod';
import { maxUnitsOfImages } from '../billing/max-units.ts';
import { isPlausibleForImages } from '../billing/plausible-counts.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { TranslationContext } from '../chat/request-translation.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { type CapabilityCall, SIZED_BY_REQUEST } from '../upstream/capability-call.ts';
import { EventRelay, type StreamTimings } from '../upstream/relay-event-stream.ts';
import { JsonRelay, type WholeAnswers } from '../upstream/relay-json.ts';
import { ImageEvents } from './image-events.ts';
import { TranslatableRequest } from './translatable-request.ts';

export type ImageAnswers = WholeAnswers & { streamTimings: StreamTimings };

/** The prompt is a text. */
const WITHOUT_PICTURES: readonly Unit[] = ['imageInputTokens'];

/** POST /v1/images/generations, plain and streamed. */
export function imagesCall(
  exchange: AuthenticatedExchange,
  body: JsonBody<ImagesRequest>,
  model: RoutedModel,
  shared: ImageAnswers & TranslationContext,
): CapabilityCall {
  const request = new TranslatableRequest(exchange, body, model, shared);
  return {
    ...meteredImages(exchange, body.value, maxUnitsOfImages(body.value, body.size, model), shared),
    unusedUnits: WITHOUT_PICTURES,
    isRepeatable: () => request.isRepeatable,
    buildRequest: (protocol, upstreamModel, pace) =>
      endpointOf(protocol, 'images').buildRequest(request, upstreamModel, pace),
  };
}

/**
 * The parts of a call that generations and edits share. Metered by delivered images, at most as many as
 * requested, and by the provider's tokens where the model prices them.
 */
export function meteredImages(
  exchange: AuthenticatedExchange,
  request: ImagesRequest,
  maxUnits: Units,
  shared: ImageAnswers,
): Omit<CapabilityCall, 'isRepeatable' | 'buildRequest'> {
  const { streamed } = request;
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
    maxUnits,
    ...SIZED_BY_REQUEST,
    estimateUnread: () => usageOf('estimated', maxUnits),
    answer: streamed
      ? new EventRelay(exchange, shared.streamTimings, imageEvents(exchange, maxUnits))
      : new JsonRelay(exchange, shared, ({ protocol }, _upstreamModel, headers) => {
          const { convertResponse, maxResponseBytes: maxBytes } = endpointOf(protocol, 'images');
          if (convertResponse === undefined) return passthrough;
          return { whole: (value) => whole(convertResponse(value, request, headers)), maxBytes };
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
    const { data } = reportedUsage.safeParse(usage);
    const { input_tokens: input, output_tokens: output } = data ?? {};
    if (input === undefined || output === undefined) return [];
    if (!isPlausibleForImages(input, maxUnits.inputTokens)) return [];
    if (!isPlausibleForImages(output, maxUnits.outputTokens)) return [];
    return [{ input, pictures: pictureTokens(data?.input_tokens_details), output }];
  });
  if (counts.length === 0) {
    const { imageInputTokens, inputTokens } = maxUnits;
    const outputTokens = Math.ceil((maxUnits.outputTokens * images) / maxUnits.images);
    return usageOf('estimated', { images, inputTokens, imageInputTokens, outputTokens });
  }
  const outputs = counts.map(({ output }) => output);
  const total = outputs.reduce((sum, output) => sum + output, 0);
  const inputTokens = Math.max(...counts.map(({ input }) => input));
  // Without details, nearly all of the input of an edit are its pictures.
  const pictures = Math.max(...counts.map((count) => count.pictures ?? maxUnits.imageInputTokens));
  return usageOf('provider', {
    images,
    inputTokens,
    imageInputTokens: maxUnits.imageInputTokens === 0 ? 0 : Math.min(inputTokens, pictures),
    // Some providers report each image alone, some the total so far.
    outputTokens: Math.max(...outputs, Math.min(total, maxUnits.outputTokens)),
  });
}

const inputDetails = z.looseObject({ image_tokens: z.int().min(0) });

/** @returns undefined if the provider does not say */
function pictureTokens(details: unknown): number | undefined {
  return inputDetails.safeParse(details).data?.image_tokens;
}

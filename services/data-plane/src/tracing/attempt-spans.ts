import {
  type Attributes,
  addressOf,
  genAiOperationOf,
  genAiProviderOf,
  newSpanId,
  type Span,
  SpanKind,
} from '@model-gateway/telemetry';
import { modelOf, type RequestRecord, type UpstreamAttempt } from '../request-record.ts';
import { idsOf, type SpanContext } from './span-context.ts';

/** Position of the span id in a `traceparent`. */
const SPAN_ID_AT = '00-'.length + 32 + 1;

/** Returns a span for each call to a provider, in order. */
export function attemptSpans(record: RequestRecord, context: SpanContext): Span[] {
  const { ended, epochMs, trace } = context;
  const operation = genAiOperationOf(modelOf(record)?.capability ?? 'chat');
  return record.attempts.map((attempt) => {
    const isFailed = attempt.outcome === 'failed';
    return {
      ...idsOf(trace),
      spanId: attempt.traceparent?.slice(SPAN_ID_AT, SPAN_ID_AT + 16) ?? newSpanId(),
      parentSpanId: trace.spanId,
      name: `${operation} ${attempt.upstreamModel}`,
      kind: SpanKind.client,
      startedAtMs: epochMs + attempt.startedAtMs,
      endedAtMs: epochMs + (attempt.endedAtMs ?? ended.endedAtMs),
      attributes: {
        ...attemptAttributes(attempt, operation, context),
        ...(attempt === record.attempts.at(-1) ? usageAttributes(record, context) : {}),
      },
      error: isFailed ? (attempt.errorCode ?? '') : undefined,
    };
  });
}

function attemptAttributes(
  attempt: UpstreamAttempt,
  operation: string,
  { names, provider }: SpanContext,
): Attributes {
  const { firstByteAtMs, outcome, providerId, startedAtMs, streamed } = attempt;
  const found = provider(providerId);
  const { finishReasons, id } = attempt.traced?.read() ?? {};
  return {
    [names.operation]: operation,
    [names.genAiProvider]: genAiProviderOf(found?.kind ?? '', providerId),
    [names.requestModel]: attempt.upstreamModel,
    [names.streamed]: streamed,
    [names.timeToFirstChunk]:
      streamed && firstByteAtMs !== undefined ? { double: (firstByteAtMs - startedAtMs) / 1_000 } : undefined,
    [names.responseId]: id,
    [names.finishReasons]: finishReasons,
    ...addressOf(names, found?.origin),
    [names.httpStatus]: attempt.httpStatus,
    [names.provider]: providerId,
    [names.model]: attempt.modelId,
    [names.providerRequestId]: attempt.providerRequestId,
    [names.outcome]: outcome,
    [names.errorType]: errorTypeOf(attempt),
  };
}

/** Returns undefined for an attempt that succeeded. */
export function errorTypeOf({ errorCode, outcome }: UpstreamAttempt): string | undefined {
  return outcome === 'completed' ? undefined : (errorCode ?? outcome);
}

/** The usage that is charged. Failed attempts before the last one are free. */
function usageAttributes({ charge, usage: counted }: RequestRecord, { names }: SpanContext): Attributes {
  const usage = charge?.usage ?? counted;
  if (usage === undefined) return {};
  return {
    [names.inputTokens]: usage.inputTokens,
    [names.outputTokens]: usage.outputTokens,
    [names.cacheReadTokens]: usage.cachedInputTokens || undefined,
    [names.cacheWriteTokens]: usage.cacheWriteTokens + usage.cacheWrite1hTokens || undefined,
    [names.reasoningTokens]: usage.reasoningTokens || undefined,
    [names.usageSource]: usage.source,
  };
}

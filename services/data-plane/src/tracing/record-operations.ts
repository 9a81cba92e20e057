import type { Usage } from '@model-gateway/dialects';
import { type GenAiMetrics, genAiOperationOf, genAiProviderOf } from '@model-gateway/telemetry';
import { modelOf, type RequestRecord } from '../request-record.ts';
import { errorTypeOf } from './attempt-spans.ts';
import type { TracingOptions } from './span-context.ts';

export interface OperationMetrics {
  genAi: GenAiMetrics;
  provider: TracingOptions['provider'];
}

/** Measures the attempts of a request that is settled. Only the last one is charged. */
export function recordOperations(
  { genAi, provider: providerOf }: OperationMetrics,
  record: RequestRecord,
  usage: Usage | undefined,
): void {
  const operation = genAiOperationOf(modelOf(record)?.capability ?? 'chat');
  const last = record.attempts.at(-1);
  for (const attempt of record.attempts) {
    const { endedAtMs = performance.now(), firstByteAtMs, providerId, startedAtMs, streamed } = attempt;
    const found = providerOf(providerId);
    genAi.record({
      operation,
      provider: genAiProviderOf(found?.kind ?? '', providerId),
      model: attempt.upstreamModel,
      origin: found?.origin,
      errorType: errorTypeOf(attempt),
      seconds: (endedAtMs - startedAtMs) / 1_000,
      secondsToFirstChunk:
        streamed && firstByteAtMs !== undefined ? (firstByteAtMs - startedAtMs) / 1_000 : undefined,
      tokens: attempt === last && usage !== undefined ? tokensOf(usage) : {},
    });
  }
}

function tokensOf(usage: Usage) {
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cachedInputTokens,
    cacheWrite: usage.cacheWriteTokens + usage.cacheWrite1hTokens,
    reasoning: usage.reasoningTokens,
  };
}

import { Gauge, type Registry } from '@model-gateway/service-kit';
import { modelOf, type RequestRecord } from '../request-record.ts';

/** Calls of a model at a provider that have received nothing to relay yet. */
export interface WaitingCalls {
  modelId: string;
  providerId: string;
  calls: number;
  /** Wait of the longest waiting call, in milliseconds. */
  longestMs: number;
}

/**
 * Finds the calls that wait for a provider: streams until the first event, others until complete. Reads
 * existing records, so requests pay nothing.
 * @param minMs leaves out calls that have waited less
 * @returns the longest waiting calls first
 */
export function waitingCalls(exchanges: Iterable<{ record: RequestRecord }>, minMs = 0): WaitingCalls[] {
  const nowMs = performance.now();
  const byModel = new Map<string, Map<string, WaitingCalls>>();
  for (const { record } of exchanges) {
    const attempt = record.attempts.at(-1);
    const model = modelOf(record);
    if (model === undefined || attempt === undefined) continue;
    const { endedAtMs, firstByteAtMs, providerId, startedAtMs } = attempt;
    if (endedAtMs !== undefined || firstByteAtMs !== undefined) continue;
    const waitedMs = nowMs - startedAtMs;
    if (waitedMs < minMs) continue;
    const modelId = model.id;
    const ofModel = byModel.get(modelId) ?? new Map<string, WaitingCalls>();
    byModel.set(modelId, ofModel);
    const { calls, longestMs } = ofModel.get(providerId) ?? { calls: 0, longestMs: 0 };
    ofModel.set(providerId, {
      modelId,
      providerId,
      calls: calls + 1,
      longestMs: Math.max(longestMs, waitedMs),
    });
  }
  return [...byModel.values()]
    .flatMap((ofModel) => [...ofModel.values()])
    .sort((a, b) => b.longestMs - a.longestMs);
}

/** Adds metrics of waiting calls, computed when read. Models are those of the catalog. */
export function addWaitingMetrics(registry: Registry, waiting: () => readonly WaitingCalls[]): void {
  const gauge = (name: string, help: string, value: (of: WaitingCalls) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      labelNames: ['provider', 'model'] as const,
      collect() {
        this.reset();
        for (const calls of waiting())
          this.set({ provider: calls.providerId, model: calls.modelId }, value(calls));
      },
    });
  gauge(
    'gateway_waiting_calls',
    'Calls that have received nothing from the provider yet that can be relayed.',
    ({ calls }) => calls,
  );
  gauge(
    'gateway_longest_waiting_call_seconds',
    'Wait of the longest waiting of these calls.',
    ({ longestMs }) => longestMs / 1_000,
  );
}

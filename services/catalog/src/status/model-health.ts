import type { HealthFiguresMessage, ModelHealthMessage } from '@model-gateway/contracts';
import { type ComponentStatus, componentStatus, type ModelStatusList } from '@model-gateway/shared';
import { type Waiting, waitingByModel } from './waiting-calls.ts';

/** How a model or provider does: what /v1/status/models shows of it. */
export type Figures = Omit<
  ModelStatusList['data'][number],
  'id' | 'status' | 'configuration' | 'waiting' | 'updated_at'
> & { status: ComponentStatus; requests_5m: number };

/** What the control plane last said of models and providers. */
export interface ModelHealth {
  /** Unix seconds. */
  updatedAt: number;
  /** Only those with traffic within a day. */
  models: ReadonlyMap<string, Figures>;
  providers: ReadonlyMap<string, Figures>;
  /** By model id: who waits for an answer for long. */
  waiting: ReadonlyMap<string, Waiting>;
}

/** Nothing was asked of it, so nothing speaks against it, and there is nothing to show. */
export const NO_TRAFFIC: Readonly<Figures> = {
  status: 'operational',
  uptime_5m: null,
  uptime_1h: null,
  uptime_24h: null,
  error_rate_5m: null,
  latency_ms: { p50: null, p95: null },
  time_to_first_token_ms: null,
  requests_5m: 0,
};

export function parseModelHealth(message: ModelHealthMessage): ModelHealth {
  const { models, providers, updatedAt, waitingCalls } = message;
  return {
    updatedAt: Number(updatedAt),
    models: figuresById(models),
    providers: figuresById(providers),
    waiting: waitingByModel(waitingCalls),
  };
}

function figuresById(messages: readonly HealthFiguresMessage[]): Map<string, Figures> {
  return new Map(messages.map((message) => [message.id, figures(message)]));
}

function figures(message: HealthFiguresMessage): Figures {
  return {
    status: statusOf(message.status),
    uptime_5m: message.uptime5m ?? null,
    uptime_1h: message.uptime1h ?? null,
    uptime_24h: message.uptime24h ?? null,
    error_rate_5m: message.errorRate5m ?? null,
    latency_ms: message.latencyMs ?? { p50: null, p95: null },
    time_to_first_token_ms: message.timeToFirstTokenMs,
    requests_5m: message.requests5m,
  };
}

/** A word that only a newer control plane knows is none for "operational". */
function statusOf(word: string): ComponentStatus {
  return componentStatus.safeParse(word).data ?? 'degraded_performance';
}

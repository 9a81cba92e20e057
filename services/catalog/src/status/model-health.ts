import type { HealthFiguresMessage, ModelHealthMessage } from '@model-gateway/contracts';
import {
  type ComponentStatus,
  componentStatus,
  type HealthState,
  healthState,
  type ModelStatusList,
} from '@model-gateway/shared';
import { type Waiting, waitingByModel } from './waiting-calls.ts';

/** The health of a model or provider, in the form of /v1/status/models. */
export type Figures = Omit<
  ModelStatusList['data'][number],
  'id' | 'status' | 'configuration' | 'waiting' | 'updated_at'
> & { status: ComponentStatus; requests_5m: number; gave_up_5m: number };

/** The control plane's last report about models and providers. */
export interface ModelHealth {
  /** Unix seconds. */
  updatedAt: number;
  /** Unix seconds, by the clock of this process: when the message came. */
  receivedAt: number;
  /** Only models whose traffic is remembered. */
  models: ReadonlyMap<string, Figures>;
  providers: ReadonlyMap<string, Figures>;
  /** By model id: the calls that have waited for a response for a long time. */
  waiting: ReadonlyMap<string, Waiting>;
}

/** The figures of a model or provider without any traffic. */
export const NO_TRAFFIC: Readonly<Figures> = {
  status: 'operational',
  state: 'no_traffic',
  sentence: 'No traffic so far.',
  since: null,
  success_5m: null,
  success_1h: null,
  success_24h: null,
  uptime_5m: null,
  uptime_1h: null,
  uptime_24h: null,
  error_rate_5m: null,
  latency_ms: { p50: null, p95: null },
  time_to_first_token_ms: null,
  requests_5m: 0,
  gave_up_5m: 0,
  last_request_at: null,
};

/** @param now Unix seconds */
export function parseModelHealth(
  { updatedAt, models, providers, waitingCalls }: ModelHealthMessage,
  now: number,
): ModelHealth {
  return {
    updatedAt: Number(updatedAt),
    receivedAt: now,
    models: figuresById(models),
    providers: figuresById(providers),
    waiting: waitingByModel(waitingCalls),
  };
}

function figuresById(messages: readonly HealthFiguresMessage[]): Map<string, Figures> {
  return new Map(messages.map((message) => [message.id, figures(message)]));
}

function figures(message: HealthFiguresMessage): Figures {
  const success5m = message.uptime5m ?? null;
  const success1h = message.uptime1h ?? null;
  const success24h = message.uptime24h ?? null;
  return {
    status: statusOf(message.status),
    state: stateOf(message),
    sentence: message.sentence ?? null,
    since: secondsOf(message.since),
    success_5m: success5m,
    success_1h: success1h,
    success_24h: success24h,
    uptime_5m: success5m,
    uptime_1h: success1h,
    uptime_24h: success24h,
    error_rate_5m: message.errorRate5m ?? null,
    latency_ms: message.latencyMs ?? { p50: null, p95: null },
    time_to_first_token_ms: message.timeToFirstTokenMs,
    requests_5m: message.requests5m,
    gave_up_5m: message.gaveUp5m,
    last_request_at: secondsOf(message.lastTrafficAt),
  };
}

/** Converts a state; one that only a newer control plane knows becomes `unknown`. */
function stateOf({ state }: HealthFiguresMessage): HealthState {
  return healthState.safeParse(state).data ?? 'unknown';
}

function secondsOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}

/** Converts a status; one that only a newer control plane knows must not count as well. */
function statusOf(word: string): ComponentStatus {
  return componentStatus.safeParse(word).data ?? 'degraded_performance';
}

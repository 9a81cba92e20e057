import type { EventData } from '@model-gateway/shared/events';
import type { HealthToSend } from '../status/health-message.ts';
import type { Probe } from '../status/judge-probes.ts';

/** A provider that recovers for a moment is not up yet. */
const UP_AFTER_MS = 120_000;

/** State of a provider as events last reported it. */
export interface ReportedProvider {
  isDown: boolean;
  /** While it is down: since when it is well again; null: it is not. */
  wellSince: Date | null;
}

type ProviderHealth = HealthToSend['providers'][number];
type ProviderEvent = {
  [Type in 'provider.down' | 'provider.up']: { type: Type; data: EventData<Type> };
}['provider.down' | 'provider.up'];

export interface JudgedProvider {
  state: ReportedProvider;
  event?: ProviderEvent;
}

/**
 * Decides what to report of a provider. It is down from the first partial or major outage, or when its free
 * probes show a refused credential, and up once it has been operational for two minutes. In between nothing
 * changes, so that a provider that recovers now and then gives one event.
 * @param health undefined: no traffic is remembered
 */
export function judgeProvider(
  reported: ReportedProvider,
  health: ProviderHealth | undefined,
  probes: readonly Probe[],
  nowMs: number,
): JudgedProvider {
  if (health === undefined) return { state: reported };
  const refusesCredential =
    health.requests5m === 0 && probes.length > 0 && probes.every(({ outcome }) => outcome === 'refused');
  const isBad = health.status === 'partial_outage' || health.status === 'major_outage' || refusesCredential;
  if (isBad) {
    const state = { isDown: true, wellSince: null };
    if (reported.isDown) return { state };
    return { state, event: { type: 'provider.down', data: dataOf(health, nowMs, refusesCredential) } };
  }
  if (!reported.isDown) return { state: reported };
  if (health.status !== 'operational') return { state: { isDown: true, wellSince: null } };
  const wellSince = reported.wellSince ?? new Date(nowMs);
  if (nowMs - wellSince.getTime() < UP_AFTER_MS) return { state: { isDown: true, wellSince } };
  const data = { provider: health.id, status: health.status, since: wellSince.toISOString() };
  return { state: { isDown: false, wellSince: null }, event: { type: 'provider.up', data } };
}

function dataOf({ id, sentence, since, status }: ProviderHealth, nowMs: number, refusesCredential: boolean) {
  return {
    provider: id,
    status,
    since: new Date(since === undefined ? nowMs : since * 1_000).toISOString(),
    reason: refusesCredential ? ('credential_refused' as const) : ('failing' as const),
    description: sentence ?? '',
  };
}

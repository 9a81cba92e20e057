import { expect, it } from 'vitest';
import { judgeProvider, type ReportedProvider } from './judge-provider.ts';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const UP = { isDown: false, wellSince: null };
type Health = NonNullable<Parameters<typeof judgeProvider>[1]>;

function health(status: Health['status'], more: Partial<Health> = {}): Health {
  return { id: 'openai', status, state: status, requests24h: 10, requests5m: 10, gaveUp5m: 0, ...more };
}

/** Returns the events of a provider with these states, 30 s apart. */
function eventsOf(...states: Health['status'][]): string[] {
  let reported: ReportedProvider = UP;
  return states.flatMap((status, index) => {
    const { event, state } = judgeProvider(reported, health(status), [], NOW + index * 30_000);
    reported = state;
    return event === undefined ? [] : [`${index} ${event.type}`];
  });
}

it('a provider is down at a partial outage, and up after two minutes without trouble', () => {
  expect(eventsOf('operational', 'degraded_performance', 'partial_outage', 'major_outage')).toEqual([
    '2 provider.down',
  ]);
  const well = Array.from({ length: 6 }, () => 'operational' as const);
  expect(eventsOf('major_outage', ...well)).toEqual(['0 provider.down', '5 provider.up']);
});

it('a provider that recovers for a moment now and then gives one event', () => {
  const flapping = Array.from({ length: 40 }, (_, index) =>
    index % 3 === 0
      ? ('major_outage' as const)
      : index % 3 === 1
        ? ('operational' as const)
        : ('degraded_performance' as const),
  );
  expect(eventsOf(...flapping)).toEqual(['0 provider.down']);
});

it('a credential that all free probes show as refused is down, too', () => {
  const refused = { outcome: 'refused' as const, failures: 0, changedAt: new Date(NOW) };
  const idle = health('degraded_performance', { requests5m: 0, sentence: 'The credential is refused.' });
  expect(judgeProvider(UP, idle, [refused, refused], NOW).event).toMatchObject({
    type: 'provider.down',
    data: { provider: 'openai', reason: 'credential_refused', description: 'The credential is refused.' },
  });
  expect(judgeProvider(UP, idle, [refused, { ...refused, outcome: 'ok' }], NOW).event).toBeUndefined();
});

it('a provider without remembered traffic stays as it was reported', () => {
  for (const reported of [UP, { isDown: true, wellSince: null }])
    expect(judgeProvider(reported, undefined, [], NOW)).toEqual({ state: reported });
});

import { expect, it } from 'vitest';
import { describeHealth, type HealthFacts } from './describe-health.ts';

const NOW_MS = Date.parse('2026-11-21T10:07:30Z');
const at = (time: string) => new Date(`2026-11-21T${time}:00Z`);
const counts = (requests: number, failures = 0, gaveUp = 0) => ({ requests, failures, gaveUp });
const quiet: HealthFacts = {
  status: 'operational',
  counts: counts(0),
  lastMinute: undefined,
  probes: undefined,
  since: undefined,
};
const describe = (given: Partial<HealthFacts>) => describeHealth({ ...quiet, ...given }, NOW_MS);

it('a model with good traffic has no sentence', () => {
  expect(describe({ counts: counts(9) })).toEqual({ state: 'operational', sentence: null });
});

it('the sentence of a failing model names what fails and since when', () => {
  expect(describe({ status: 'partial_outage', counts: counts(20, 14), since: at('10:02') })).toEqual({
    state: 'partial_outage',
    sentence: 'Failing since 10:02 UTC, 14 of 20 answers in the last 5 minutes failed.',
  });
  const mixed = describe({ status: 'major_outage', counts: counts(20, 14, 5), since: at('10:02') });
  expect(mixed.sentence).toBe(
    'Failing since 10:02 UTC, 14 of 15 answers in the last 5 minutes failed, ' +
      'and 5 of 20 callers gave up before the first byte.',
  );
});

it('a provider whose callers give up is called slow', () => {
  const slow = describe({ status: 'degraded_performance', counts: counts(8, 0, 5), since: at('10:02') });
  expect(slow.sentence).toBe(
    'Slow since 10:02 UTC, 5 of 8 callers gave up before the first byte in the last 5 minutes.',
  );
});

it('a model without recent requests has no traffic, and its sentence names the time of the last one', () => {
  expect(describe({})).toEqual({ state: 'no_traffic', sentence: 'No traffic so far.' });
  const idle = { minute: at('09:14'), counts: counts(3), status: 'operational' as const };
  expect(describe({ lastMinute: idle })).toEqual({
    state: 'no_traffic',
    sentence: 'No traffic since 09:14 UTC.',
  });
});

it.each([
  [counts(3, 3), at('09:02'), 'No traffic since 09:14 UTC, and the last answers failed, from 09:02 UTC on.'],
  [counts(1, 1), at('09:14'), 'No traffic since 09:14 UTC, and the last answer failed.'],
  [counts(9, 4), undefined, 'No traffic since 09:14 UTC, and 4 of the last 9 answers failed.'],
  [
    counts(2, 0, 2),
    undefined,
    'No traffic since 09:14 UTC, and the last callers gave up before the first byte.',
  ],
])('a model whose last requests failed is never operational: %j', (last, since, sentence) => {
  const lastMinute = { minute: at('09:14'), counts: last, status: 'major_outage' as const };
  expect(describe({ status: 'major_outage', lastMinute, since })).toEqual({
    state: 'failed_when_last_asked',
    sentence,
  });
});

it('a provider without traffic is described by its free probes', () => {
  const probe = (outcome: 'ok' | 'refused' | 'failed') => [{ outcome, failures: 0, changedAt: at('10:00') }];
  const lastMinute = { minute: at('09:14'), counts: counts(3, 3), status: 'major_outage' as const };
  expect(describe({ probes: probe('ok') })).toEqual({ state: 'operational', sentence: null });
  expect(describe({ probes: probe('ok'), lastMinute }).sentence).toBe(
    'No traffic since 09:14 UTC, when the last answers failed, but free probes are answered.',
  );
  const troubled = { status: 'degraded_performance' as const, since: at('10:00') };
  expect(describe({ ...troubled, probes: probe('failed') }).sentence).toBe(
    'Free probes fail since 10:00 UTC, and there is no traffic.',
  );
  expect(describe({ ...troubled, probes: probe('refused') }).sentence).toBe(
    'The credential of the gateway is refused since 10:00 UTC, as free probes show.',
  );
});

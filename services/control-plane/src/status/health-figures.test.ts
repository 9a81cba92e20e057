import { expect, it } from 'vitest';
import { healthFigures } from './health-figures.ts';
import type { LastMinute, MinuteOutcomes, OutcomeCounts } from './health-store.ts';
import { healthWindows } from './health-windows.ts';
import type { Probe } from './judge-probes.ts';
import { bucketOf, emptyHistogram } from './latency-histogram.ts';

const NOW_MS = Date.parse('2026-11-21T10:00:30Z');
const windows = healthWindows(NOW_MS);
const probes = new Map<string, Probe[]>();
const lastMinutes: LastMinute[] = [];
const minutesAgo = (minutes: number) => new Date(Date.parse('2026-11-21T10:00:00Z') - minutes * 60_000);

function histogramOf(...durationsMs: number[]): number[] {
  const histogram = emptyHistogram();
  for (const duration of durationsMs) histogram[bucketOf(duration)] = 1;
  return histogram;
}

function counts(requests: number, failedRequests = 0, gaveUp = 0): OutcomeCounts {
  return { requests, failedRequests, attempts: requests, failedAttempts: failedRequests, gaveUp };
}
function lastMinute(minutes: number, of: OutcomeCounts, at: Partial<LastMinute> = {}): LastMinute {
  return { modelId: 'm', providerId: 'p', minute: minutesAgo(minutes), accounts: {}, ...of, ...at };
}

function minute(minutes: number, differs: Partial<MinuteOutcomes>): MinuteOutcomes {
  return {
    modelId: 'm',
    providerId: 'p',
    minute: minutesAgo(minutes),
    ...counts(1),
    latencyBuckets: emptyHistogram(),
    firstTokenBuckets: emptyHistogram(),
    accounts: {},
    ...differs,
  };
}

it('the windows end with the current minute', () => {
  expect(windows).toEqual({ fiveMinutes: minutesAgo(4), hour: minutesAgo(59), day: minutesAgo(1_439) });
});

it("a model's figures count each window by itself, older sums included", () => {
  const [model] = healthFigures({
    recent: [minute(0, counts(8, 2)), minute(4, counts(2)), minute(5, counts(10, 8))],
    sums: [{ modelId: 'm', providerId: 'p', hour: counts(20), day: counts(60, 10) }],
    lastMinutes,
    windows,
    probes,
  }).models;
  expect(model).toMatchObject({
    id: 'm',
    counts: { requests: 10, failures: 2, gaveUp: 0 },
    errorRate5m: 0.2,
    success5m: 0.8,
    success1h: 0.75,
    success24h: 0.75,
  });
});

it("a model's figures are null where nothing was measured", () => {
  const sums = [{ modelId: 'm', providerId: 'p', hour: counts(0), day: counts(4, 4) }];
  expect(healthFigures({ recent: [], sums, lastMinutes, windows, probes }).models).toEqual([
    {
      id: 'm',
      status: 'operational',
      success5m: null,
      success1h: null,
      success24h: 0,
      requests24h: 4,
      errorRate5m: null,
      latencyMs: null,
      timeToFirstTokenMs: null,
      counts: { requests: 0, failures: 0, gaveUp: 0 },
      lastMinute: undefined,
      probes: undefined,
    },
  ]);
});

it("a model's latencies come from all its providers within five minutes", () => {
  const recent = [
    minute(0, { providerId: 'p', latencyBuckets: histogramOf(100), firstTokenBuckets: histogramOf(10) }),
    minute(1, { providerId: 'q', latencyBuckets: histogramOf(900) }),
    minute(5, { providerId: 'q', latencyBuckets: histogramOf(1, 2, 3, 4) }),
  ];
  const [model] = healthFigures({ recent, sums: [], lastMinutes, windows, probes }).models;
  expect(Math.abs((model?.latencyMs?.p50 ?? 0) - 100)).toBeLessThan(10);
  expect(Math.abs((model?.latencyMs?.p95 ?? 0) - 900)).toBeLessThan(90);
  expect(Math.abs((model?.timeToFirstTokenMs?.p95 ?? 0) - 10)).toBeLessThan(1);
});

it('a request that succeeded elsewhere blames the provider, not the model', () => {
  const failedOver = { attempts: 4, failedAttempts: 4, requests: 0, failedRequests: 0 };
  const { models, providers } = healthFigures({
    recent: [
      minute(0, { providerId: 'bad', ...failedOver }),
      minute(0, { providerId: 'good', ...counts(4) }),
    ],
    sums: [],
    lastMinutes,
    windows,
    probes,
  });
  expect(models).toMatchObject([{ id: 'm', status: 'operational', success5m: 1, counts: { requests: 4 } }]);
  expect(providers).toMatchObject([
    { id: 'bad', status: 'major_outage', success5m: 0, counts: { requests: 4 } },
    { id: 'good', status: 'operational', success5m: 1, counts: { requests: 4 } },
  ]);
});

const modelFigures = (given: LastMinute[], recent: MinuteOutcomes[] = []) =>
  healthFigures({ recent, sums: [], lastMinutes: given, windows, probes }).models[0];

it('without traffic for five minutes, failing stays failing', () => {
  expect(modelFigures([lastMinute(300, counts(20, 20))])).toMatchObject({
    status: 'major_outage',
    success5m: null,
  });
  expect(modelFigures([lastMinute(300, counts(1, 1))])?.status).toBe('degraded_performance');
  expect(modelFigures([lastMinute(300, counts(20))])?.status).toBe('operational');
});

it('without traffic for five minutes, only the last minute decides, over all providers', () => {
  const figures = modelFigures([
    lastMinute(300, counts(9, 9), { providerId: 'q' }),
    lastMinute(200, counts(2, 2)),
    lastMinute(200, counts(6), { providerId: 'r' }),
  ]);
  expect(figures).toMatchObject({
    status: 'operational',
    lastMinute: { counts: { requests: 8, failures: 2 } },
  });
});

it('the first good responses make a failing model operational', () => {
  expect(modelFigures([lastMinute(300, counts(9, 9))], [minute(1, counts(3))])?.status).toBe('operational');
  expect(modelFigures([lastMinute(300, counts(9, 9))], [minute(6, counts(3))])?.status).toBe('operational');
});

it('a request that went on to another provider is no traffic for the first model', () => {
  const elsewhere = { attempts: 5, failedAttempts: 5, requests: 0, failedRequests: 0, gaveUp: 0 };
  expect(
    modelFigures([lastMinute(10, elsewhere), lastMinute(20, counts(3), { providerId: 'q' })]),
  ).toMatchObject({
    status: 'operational',
    lastMinute: { minute: minutesAgo(20) },
  });
});

it('callers who gave up count in no share of success or errors', () => {
  const [model] = healthFigures({
    recent: [minute(0, counts(10, 2, 5))],
    sums: [],
    lastMinutes,
    windows,
    probes,
  }).models;
  expect(model).toMatchObject({ success5m: 0.6, errorRate5m: 0.4, status: 'degraded_performance' });
});

it('only callers who gave up leave no share at all', () => {
  const recent = [minute(0, counts(4, 0, 4))];
  const [model] = healthFigures({ recent, sums: [], lastMinutes, windows, probes }).models;
  expect(model).toMatchObject({ success5m: null, errorRate5m: null, status: 'degraded_performance' });
});

const probed = new Map<string, Probe[]>([
  ['p', [{ outcome: 'failed', failures: 2, changedAt: minutesAgo(9) }]],
]);

it('a probed provider without traffic has the status of its probes and no figures', () => {
  const { models, providers } = healthFigures({
    recent: [],
    sums: [],
    lastMinutes,
    windows,
    probes: probed,
  });
  expect(models).toEqual([]);
  expect(providers).toMatchObject([
    {
      id: 'p',
      status: 'major_outage',
      counts: { requests: 0 },
      success5m: null,
      errorRate5m: null,
      latencyMs: null,
    },
  ]);
});

it('a probed provider with traffic has the status of its traffic', () => {
  const figuresAfter = (minutes: number) =>
    healthFigures({ recent: [minute(minutes, counts(1))], sums: [], lastMinutes, windows, probes: probed })
      .providers[0];
  expect(figuresAfter(4)).toMatchObject({ status: 'operational', counts: { requests: 1 } });
  expect(figuresAfter(5)).toMatchObject({ status: 'major_outage', counts: { requests: 0 }, success1h: 1 });
});

const account = (requests: number, failures = 0) => [requests, failures, requests, failures, 0];

it('one account whose requests fail does not decide the status of a model that others use', () => {
  const row = (accounts: Record<string, number[]>, of: OutcomeCounts) => minute(1, { ...of, accounts });
  const status = (...rows: MinuteOutcomes[]) => modelFigures([], rows)?.status;
  expect(status(row({ bad: account(50, 50), good: account(5) }, counts(55, 50)))).toBe('operational');
  expect(status(row({ bad: account(50, 50), good: account(5, 4) }, counts(55, 54)))).toBe('partial_outage');
  // No other account, or no other success: then these failures are all that is known.
  expect(status(row({ bad: account(50, 50) }, counts(50, 50)))).toBe('major_outage');
  expect(status(row({ bad: account(50, 50), other: account(1, 1) }, counts(51, 51)))).toBe('major_outage');
  expect(status(row({ bad: account(9, 9) }, counts(9, 9)), row({ good: account(3) }, counts(3)))).toBe(
    'operational',
  );
  const last = lastMinute(90, counts(55, 50), { accounts: { bad: account(50, 50), good: account(5) } });
  expect(modelFigures([last])?.status).toBe('operational');
});

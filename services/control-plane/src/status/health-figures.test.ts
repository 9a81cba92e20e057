import { describe, expect, it } from 'vitest';
import { healthFigures } from './health-figures.ts';
import type { MinuteOutcomes, OutcomeCounts } from './health-store.ts';
import { healthWindows } from './health-windows.ts';
import type { Probe } from './judge-probes.ts';
import { bucketOf, emptyHistogram } from './latency-histogram.ts';

const NOW_MS = Date.parse('2026-11-21T10:00:30Z');
const windows = healthWindows(NOW_MS);
const probes = new Map<string, Probe[]>();
const minutesAgo = (minutes: number) => new Date(Date.parse('2026-11-21T10:00:00Z') - minutes * 60_000);

function histogramOf(...durationsMs: number[]): number[] {
  const histogram = emptyHistogram();
  for (const duration of durationsMs) histogram[bucketOf(duration)] = 1;
  return histogram;
}

function counts(requests: number, failedRequests = 0): OutcomeCounts {
  return { requests, failedRequests, attempts: requests, failedAttempts: failedRequests };
}

function minute(minutes: number, differs: Partial<MinuteOutcomes>): MinuteOutcomes {
  return {
    modelId: 'm',
    providerId: 'p',
    minute: minutesAgo(minutes),
    ...counts(1),
    latencyBuckets: emptyHistogram(),
    firstTokenBuckets: emptyHistogram(),
    ...differs,
  };
}

describe('the windows', () => {
  it('end with the minute under way', () => {
    expect(windows).toEqual({ fiveMinutes: minutesAgo(4), hour: minutesAgo(59), day: minutesAgo(1_439) });
  });
});

describe('the figures of a model', () => {
  it('count each window by itself, the older sums included', () => {
    const [model] = healthFigures({
      recent: [minute(0, counts(8, 2)), minute(4, counts(2)), minute(5, counts(10, 8))],
      sums: [{ modelId: 'm', providerId: 'p', hour: counts(20), day: counts(60, 10) }],
      windows,
      probes,
    }).models;
    expect(model).toMatchObject({
      id: 'm',
      requests5m: 10,
      errorRate5m: 0.2,
      uptime5m: 0.8,
      uptime1h: 0.75,
      uptime24h: 0.75,
    });
  });

  it('are null where nothing was measured', () => {
    const sums = [{ modelId: 'm', providerId: 'p', hour: counts(0), day: counts(4, 4) }];
    expect(healthFigures({ recent: [], sums, windows, probes }).models).toEqual([
      {
        id: 'm',
        status: 'operational',
        uptime5m: null,
        uptime1h: null,
        uptime24h: 0,
        errorRate5m: null,
        latencyMs: null,
        timeToFirstTokenMs: null,
        requests5m: 0,
      },
    ]);
  });

  it('take the latencies of all its providers within five minutes', () => {
    const recent = [
      minute(0, { providerId: 'p', latencyBuckets: histogramOf(100), firstTokenBuckets: histogramOf(10) }),
      minute(1, { providerId: 'q', latencyBuckets: histogramOf(900) }),
      minute(5, { providerId: 'q', latencyBuckets: histogramOf(1, 2, 3, 4) }),
    ];
    const [model] = healthFigures({ recent, sums: [], windows, probes }).models;
    expect(Math.abs((model?.latencyMs?.p50 ?? 0) - 100)).toBeLessThan(10);
    expect(Math.abs((model?.latencyMs?.p95 ?? 0) - 900)).toBeLessThan(90);
    expect(Math.abs((model?.timeToFirstTokenMs?.p95 ?? 0) - 10)).toBeLessThan(1);
  });

  it('do not blame a model whose requests succeeded elsewhere, and blame the provider', () => {
    const failedOver = { attempts: 4, failedAttempts: 4, requests: 0, failedRequests: 0 };
    const { models, providers } = healthFigures({
      recent: [
        minute(0, { providerId: 'bad', ...failedOver }),
        minute(0, { providerId: 'good', ...counts(4) }),
      ],
      sums: [],
      windows,
      probes,
    });
    expect(models).toMatchObject([{ id: 'm', status: 'operational', uptime5m: 1, requests5m: 4 }]);
    expect(providers).toMatchObject([
      { id: 'bad', status: 'major_outage', uptime5m: 0, requests5m: 4 },
      { id: 'good', status: 'operational', uptime5m: 1, requests5m: 4 },
    ]);
  });
});

describe('a provider that is probed', () => {
  const probed = new Map<string, Probe[]>([['p', [{ outcome: 'failed', failures: 2 }]]]);

  it('has the status of its probes and no figure while it has no traffic', () => {
    const { models, providers } = healthFigures({ recent: [], sums: [], windows, probes: probed });
    expect(models).toEqual([]);
    expect(providers).toMatchObject([
      { id: 'p', status: 'major_outage', requests5m: 0, uptime5m: null, errorRate5m: null, latencyMs: null },
    ]);
  });

  it('has the status of its traffic as long as there is any', () => {
    const told = (minutes: number) =>
      healthFigures({ recent: [minute(minutes, counts(1))], sums: [], windows, probes: probed }).providers[0];
    expect(told(4)).toMatchObject({ status: 'operational', requests5m: 1 });
    expect(told(5)).toMatchObject({ status: 'major_outage', requests5m: 0, uptime1h: 1 });
  });
});

import type { HealthFiguresMessage } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { parseModelHealth } from './model-health.ts';

const figures = (given: Partial<HealthFiguresMessage>): HealthFiguresMessage => ({
  id: 'a/chat',
  status: 'operational',
  state: '',
  gaveUp5m: 0,
  latencyMs: null,
  timeToFirstTokenMs: null,
  requests5m: 0,
  ...given,
});
const parsed = (given: Partial<HealthFiguresMessage>) =>
  parseModelHealth(
    { updatedAt: '1800000000', models: [figures(given)], providers: [], waitingCalls: [] },
    1_800_000_001,
  ).models.get('a/chat');

describe('what the control plane says of models', () => {
  it('is taken over as it was measured, and a share of zero is a figure', () => {
    expect(
      parsed({ uptime5m: 0, errorRate5m: 1, latencyMs: { p50: 1.5, p95: 20 }, requests5m: 3 }),
    ).toMatchObject({
      uptime_5m: 0,
      success_5m: 0,
      error_rate_5m: 1,
      latency_ms: { p50: 1.5, p95: 20 },
      requests_5m: 3,
    });
  });

  it('is null where nothing was measured', () => {
    expect(parsed({ uptime24h: 0.5 })).toMatchObject({
      uptime_5m: null,
      uptime_1h: null,
      uptime_24h: 0.5,
      error_rate_5m: null,
      latency_ms: { p50: null, p95: null },
      time_to_first_token_ms: null,
      requests_5m: 0,
    });
  });

  it('with an unknown status counts as degraded', () => {
    expect(parsed({ status: 'on_fire' })?.status).toBe('degraded_performance');
    expect(parsed({ status: 'partial_outage' })?.status).toBe('partial_outage');
    expect(parsed({ state: 'on_fire' })?.state).toBe('unknown');
  });
});

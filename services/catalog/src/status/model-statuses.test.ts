import { modelStatusList } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { modelObjectFixture } from '../models/model-object-fixture.ts';
import { type ModelHealth, NO_TRAFFIC } from './model-health.ts';
import { modelStatuses } from './model-statuses.ts';

const NOW = 1_800_000_000;
const models = [modelObjectFixture('a/busy'), modelObjectFixture('a/quiet')];
const health: ModelHealth = {
  updatedAt: NOW - 2,
  receivedAt: NOW - 2,
  models: new Map([['a/busy', { ...NO_TRAFFIC, status: 'partial_outage', uptime_5m: 0.5, requests_5m: 8 }]]),
  providers: new Map(),
  waiting: new Map([['a/quiet', { calls: 3, longest_seconds: 120 }]]),
};
const rows = (told: ModelHealth | undefined) =>
  modelStatusList.strict().parse(modelStatuses(models, told, NOW)).data;

describe('the statuses of models', () => {
  it('show the figures of each under the time at which they were read', () => {
    expect(rows(health)[0]).toMatchObject({
      id: 'a/busy',
      status: 'partial_outage',
      uptime_5m: 0.5,
      requests_5m: 8,
      waiting: null,
      updated_at: NOW - 2,
    });
  });

  it('of a model without traffic are zero requests and no figure, and who waits for its first answer', () => {
    expect(rows(health)[1]).toEqual({
      id: 'a/quiet',
      status: 'operational',
      // Somebody asks for it, because three calls wait.
      state: 'unknown',
      sentence: 'Calls wait for an answer, and none has come lately.',
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
      waiting: { calls: 3, longest_seconds: 120 },
      gave_up_5m: 0,
      last_request_at: null,
      updated_at: NOW - 2,
    });
  });

  it('are null, not zero, before the first report', () => {
    for (const row of rows(undefined)) {
      expect(row).toMatchObject({ requests_5m: null, updated_at: NOW, state: 'unknown' });
    }
  });

  it('that are old are not known any more, whatever they were', () => {
    const figures = { ...NO_TRAFFIC, sentence: 'Failing since 07:50 UTC.', requests_5m: 8 };
    const old: ModelHealth = {
      ...health,
      receivedAt: NOW - 16,
      models: new Map([
        ['a/busy', { ...figures, status: 'major_outage', state: 'major_outage' }],
        ['a/quiet', { ...NO_TRAFFIC, state: 'operational', sentence: null, requests_5m: 8 }],
      ]),
    };
    expect(rows(old)).toMatchObject([
      {
        status: 'major_outage',
        state: 'unknown',
        sentence: 'Not known since 07:59 UTC. Before: Failing since 07:50 UTC.',
      },
      // The calls that waited then may have been answered since.
      { status: 'operational', state: 'unknown', sentence: 'Not known since 07:59 UTC.', waiting: null },
    ]);
  });
});

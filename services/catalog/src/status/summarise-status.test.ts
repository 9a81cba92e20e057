import { type ComponentStatus, statusSummary } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { NO_TRAFFIC } from './model-health.ts';
import { type StatusFacts, summariseStatus } from './summarise-status.ts';

const healthy: StatusFacts = {
  controlPlaneLive: true,
  health: { databaseReachable: true, liveDataPlanes: 2 },
  redisHealthy: undefined,
  providers: [{ id: 'acme', name: 'Acme AI' }],
  modelHealth: undefined,
};
const summary = (facts: Partial<StatusFacts>) =>
  statusSummary.parse(summariseStatus({ ...healthy, ...facts }, 1_800_000_000));
const statusOf = (facts: Partial<StatusFacts>, id: string) =>
  summary(facts).components.find((entry) => entry.id === id)?.status;

describe('the status summary', () => {
  it('is all well when everything is', () => {
    expect(summary({}).status.indicator).toBe('none');
    expect(statusOf({}, 'provider:acme')).toBe('operational');
  });

  it('claims nothing as healthy that it cannot know', () => {
    const facts = { controlPlaneLive: false };
    expect(summary(facts).status.indicator).toBe('major');
    expect(statusOf(facts, 'control_plane')).toBe('major_outage');
    expect(statusOf(facts, 'database')).toBe('degraded_performance');
    expect(statusOf(facts, 'data_plane')).toBe('degraded_performance');
  });

  it('tells a database that is away, and is critical without a data plane', () => {
    expect(statusOf({ health: { databaseReachable: false, liveDataPlanes: 1 } }, 'database')).toBe(
      'major_outage',
    );
    expect(summary({ health: { databaseReachable: false, liveDataPlanes: 1 } }).status.indicator).toBe(
      'major',
    );
    expect(summary({ health: { databaseReachable: true, liveDataPlanes: 0 } }).status.indicator).toBe(
      'critical',
    );
  });

  it('names providers without a credential apart from those in trouble', () => {
    const configurations: StatusFacts['configurations'] = {
      ofProvider: (id, status) =>
        id === 'acme' ? { status: 'major_outage', configuration: 'not_configured' } : { status },
    };
    const unconfigured = summary({ configurations });
    expect(unconfigured.status).toEqual({ indicator: 'major', description: 'Not configured: Acme AI' });
    expect(unconfigured.components.at(-1)).toMatchObject({
      status: 'major_outage',
      configuration: 'not_configured',
    });
    expect(summary({ configurations, redisHealthy: false }).status.description).toBe(
      'Not operational: Limits store. Not configured: Acme AI',
    );
  });

  it('shows how a provider does, as of when that was read', () => {
    const troubled = (status: ComponentStatus) => ({
      updatedAt: 1_799_999_990,
      providers: new Map([['acme', { ...NO_TRAFFIC, status }]]),
    });
    const degraded = summary({ modelHealth: troubled('degraded_performance') });
    expect(degraded.components.at(-1)).toMatchObject({
      id: 'provider:acme',
      status: 'degraded_performance',
      updated_at: 1_799_999_990,
    });
    expect(degraded.status).toEqual({ indicator: 'minor', description: 'Not operational: Acme AI' });
    expect(summary({ modelHealth: troubled('major_outage') }).status.indicator).toBe('major');
    expect(summary({ modelHealth: { updatedAt: 1, providers: new Map() } }).status.indicator).toBe('none');
  });
});

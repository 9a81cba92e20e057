import { type ComponentStatus, statusSummary } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { type CoreFacts, coreParts } from './core-parts.ts';
import { type Figures, type ModelHealth, NO_TRAFFIC } from './model-health.ts';
import { PartMemory } from './part-memory.ts';
import { type StatusFacts, summariseStatus } from './summarise-status.ts';

/** 08:00 UTC. */
const NOW = 1_800_000_000;
const healthy: CoreFacts = {
  controlPlaneLive: true,
  health: { databaseReachable: true, liveDataPlanes: 2 },
  redisHealthy: undefined,
};

interface Given {
  core?: Partial<CoreFacts>;
  modelHealth?: ModelHealth | undefined;
  configurations?: StatusFacts['configurations'];
}

function summary({ core = {}, modelHealth, configurations }: Given) {
  const memory = new PartMemory();
  const parts = coreParts({ ...healthy, ...core });
  memory.update(parts, NOW - 120);
  const facts: StatusFacts = {
    parts: parts.map((part) => ({ ...part, since: memory.since(part.id) })),
    providers: [{ id: 'acme', name: 'Acme AI' }],
    models: [{ id: 'acme/small', providerIds: ['acme'] }],
    modelHealth,
    configurations,
  };
  return statusSummary.strict().parse(summariseStatus(facts, NOW));
}
const component = (given: Given, id: string) => summary(given).components.find((entry) => entry.id === id);
const statusOf = (core: Partial<CoreFacts>, id: string) => component({ core }, id)?.status;

const told = (
  providers: Record<string, Partial<Figures>>,
  models: Record<string, Partial<Figures>> = {},
): ModelHealth => {
  const whole = (given: Record<string, Partial<Figures>>) =>
    new Map(Object.entries(given).map(([id, figures]) => [id, { ...NO_TRAFFIC, ...figures }]));
  return {
    updatedAt: NOW - 10,
    receivedAt: NOW - 10,
    providers: whole(providers),
    models: whole(models),
    waiting: new Map(),
  };
};
const failing = (status: ComponentStatus): Partial<Figures> => ({
  status,
  state: status,
  sentence: 'Failing since 07:50 UTC, 14 of 20 answers in the last 5 minutes failed.',
  since: NOW - 600,
});
const busy: Partial<Figures> = { state: 'operational', sentence: null, requests_5m: 5 };

describe('the status summary', () => {
  it('is all well when everything is', () => {
    const { status } = summary({ modelHealth: told({ acme: busy }) });
    expect(status).toEqual({
      indicator: 'none',
      description: 'All systems operational',
      sentence: 'Nothing is known to be wrong.',
      since: null,
    });
    expect(statusOf({}, 'provider:acme')).toBe('operational');
  });

  it('claims nothing as healthy that it cannot know', () => {
    const core = { controlPlaneLive: false };
    expect(summary({ core }).status.indicator).toBe('major');
    expect(statusOf(core, 'control_plane')).toBe('major_outage');
    expect(statusOf(core, 'database')).toBe('degraded_performance');
    expect(statusOf(core, 'data_plane')).toBe('degraded_performance');
    expect(component({}, 'provider:acme')).toMatchObject({ state: 'unknown', sentence: 'Not known yet.' });
  });

  it('names the part that is wrong, and since when', () => {
    const core = { controlPlaneLive: false };
    expect(summary({ core, modelHealth: told({}) }).status).toMatchObject({
      sentence:
        'Control plane: not heard by the status service, since 07:58 UTC; ' +
        'Data plane: not known, because the control plane is silent, since 07:58 UTC; ' +
        'Database: not known, because the control plane is silent, since 07:58 UTC.',
      since: NOW - 120,
    });
  });

  it('tells a database that is away, and is critical without a data plane', () => {
    const without = (health: CoreFacts['health']) => ({ core: { health } });
    const noDatabase = without({ databaseReachable: false, liveDataPlanes: 1 });
    expect(component(noDatabase, 'database')).toMatchObject({
      status: 'major_outage',
      sentence: 'Not reached by the control plane, since 07:58 UTC.',
    });
    expect(summary(noDatabase).status.indicator).toBe('major');
    expect(summary(without({ databaseReachable: true, liveDataPlanes: 0 })).status.indicator).toBe(
      'critical',
    );
  });

  it('describes a provider in one sentence, as of the time of its figures', () => {
    const given = { modelHealth: told({ acme: failing('degraded_performance') }) };
    expect(summary(given).components.at(-1)).toMatchObject({
      id: 'provider:acme',
      status: 'degraded_performance',
      since: NOW - 600,
      updated_at: NOW - 10,
    });
    expect(summary(given).status).toEqual({
      indicator: 'minor',
      description: 'Not operational: Acme AI',
      sentence: 'Acme AI: failing since 07:50 UTC, 14 of 20 answers in the last 5 minutes failed.',
      since: NOW - 600,
    });
    expect(summary({ modelHealth: told({ acme: failing('major_outage') }) }).status.indicator).toBe('major');
  });

  it('does not take a provider that nobody asks for one that is well', () => {
    const given = { modelHealth: told({}) };
    expect(component(given, 'provider:acme')).toMatchObject({ status: 'operational', state: 'no_traffic' });
    expect(summary(given).status).toMatchObject({
      indicator: 'none',
      sentence: 'Nothing is known to be wrong; no provider has traffic.',
    });
  });

  it('names a model that fails at a provider that is well, and leaves out what its provider explains', () => {
    const models = { 'acme/small': failing('major_outage') };
    expect(summary({ modelHealth: told({ acme: busy }, models) }).status).toMatchObject({
      indicator: 'minor',
      description: 'Not operational: acme/small',
      sentence: 'acme/small: failing since 07:50 UTC, 14 of 20 answers in the last 5 minutes failed.',
    });
    const explained = summary({ modelHealth: told({ acme: failing('partial_outage') }, models) });
    expect(explained.status.description).toBe('Not operational: Acme AI');
  });
});

describe('a provider without a credential', () => {
  const configurations: StatusFacts['configurations'] = {
    ofProvider: () => ({ status: 'major_outage', configuration: 'not_configured' }),
  };

  it('is named apart from those in trouble, and is not taken for one without traffic', () => {
    const unconfigured = summary({ configurations, modelHealth: told({}) });
    expect(unconfigured.status).toEqual({
      indicator: 'major',
      description: 'Not configured: Acme AI',
      sentence: 'Acme AI: not configured, because no data plane has the credential that it needs.',
      since: null,
    });
    expect(unconfigured.components.at(-1)).toMatchObject({
      status: 'major_outage',
      state: 'not_configured',
      configuration: 'not_configured',
    });
    const core = { redisHealthy: false };
    expect(summary({ core, configurations, modelHealth: told({}) }).status.description).toBe(
      'Not operational: Limits store. Not configured: Acme AI',
    );
  });

  it('keeps the status of its traffic if only some data planes lack the credential', () => {
    const partly: StatusFacts['configurations'] = {
      ofProvider: () => ({ status: 'partial_outage', configuration: 'partly_configured' }),
    };
    const failingToo = { configurations: partly, modelHealth: told({ acme: failing('partial_outage') }) };
    expect(component(failingToo, 'provider:acme')).toMatchObject({
      state: 'partial_outage',
      sentence: expect.stringMatching(
        /^Some data planes lack a credential that it needs\. Failing since 07:50 UTC/,
      ),
    });
    expect(component({ configurations: partly, modelHealth: told({}) }, 'provider:acme')).toMatchObject({
      status: 'partial_outage',
      state: 'partial_outage',
      sentence: 'Some data planes lack a credential that it needs.',
    });
  });
});

describe('the memory of parts', () => {
  it('dates a trouble by when it began, and forgets one that is over', () => {
    const memory = new PartMemory();
    const update = (core: Partial<CoreFacts>, now: number) =>
      memory.update(coreParts({ ...healthy, ...core }), now);
    update({ redisHealthy: false }, 100);
    update({ redisHealthy: false }, 105);
    expect(memory.since('limits_store')).toBe(100);
    update({ redisHealthy: true }, 110);
    expect(memory.since('limits_store')).toBeNull();
  });
});

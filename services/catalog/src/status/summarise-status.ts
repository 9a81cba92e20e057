import type { ComponentStatus, StatusSummary } from '@model-gateway/shared';
import type { Configurations } from './configurations.ts';
import { type ModelHealth, NO_TRAFFIC } from './model-health.ts';

/** What is known when the status is asked for. */
export interface StatusFacts {
  /** The control plane was heard within the last three seconds. */
  controlPlaneLive: boolean;
  /** What it said last; undefined when it never said anything. */
  health: { databaseReachable: boolean; liveDataPlanes: number } | undefined;
  /** Undefined: limits are counted in memory, by intention. */
  redisHealthy: boolean | undefined;
  providers: readonly { id: string; name: string }[];
  /** How providers do; undefined when the control plane has told nothing yet. */
  modelHealth: Pick<ModelHealth, 'providers' | 'updatedAt'> | undefined;
  /** Which of them lack their credential; undefined: no catalog yet. */
  configurations?: Pick<Configurations, 'ofProvider'> | undefined;
}

type Component = StatusSummary['components'][number];

/**
 * The status page's first table. While the control plane is silent, what only it knows is shown as degraded: it
 * is not known to work, and not known to be down.
 * @param now Unix seconds
 */
export function summariseStatus(facts: StatusFacts, now: number): StatusSummary {
  const component = (id: string, name: string, status: ComponentStatus): Component => ({
    id,
    name,
    status,
    updated_at: now,
  });
  const components = [
    component('data_plane', 'Data plane', dataPlaneStatus(facts)),
    component('control_plane', 'Control plane', facts.controlPlaneLive ? 'operational' : 'major_outage'),
    component('database', 'Database', databaseStatus(facts)),
    component(
      'limits_store',
      'Limits store',
      facts.redisHealthy === false ? 'degraded_performance' : 'operational',
    ),
    ...facts.providers.map(({ id, name }) => {
      const { status } = facts.modelHealth?.providers.get(id) ?? NO_TRAFFIC;
      return {
        ...component(`provider:${id}`, name, status),
        ...facts.configurations?.ofProvider(id, status),
        updated_at: facts.modelHealth?.updatedAt ?? now,
      };
    }),
  ];
  return { object: 'status', status: overall(components), components, updated_at: now };
}

function dataPlaneStatus({ controlPlaneLive, health }: StatusFacts): ComponentStatus {
  if (!controlPlaneLive || health === undefined) return 'degraded_performance';
  return health.liveDataPlanes > 0 ? 'operational' : 'major_outage';
}

function databaseStatus({ controlPlaneLive, health }: StatusFacts): ComponentStatus {
  if (!controlPlaneLive || health === undefined) return 'degraded_performance';
  return health.databaseReachable ? 'operational' : 'major_outage';
}

function overall(components: readonly Component[]): StatusSummary['status'] {
  const troubled = components.filter(({ status }) => status !== 'operational');
  if (troubled.length === 0) return { indicator: 'none', description: 'All systems operational' };
  const unconfigured = troubled.filter(({ configuration }) => configuration === 'not_configured');
  const others = troubled.filter((component) => !unconfigured.includes(component));
  const description = [
    ...(others.length === 0 ? [] : [`Not operational: ${namesOf(others)}`]),
    ...(unconfigured.length === 0 ? [] : [`Not configured: ${namesOf(unconfigured)}`]),
  ].join('. ');
  const down = troubled.filter(({ status }) => status === 'major_outage');
  if (down.some(({ id }) => id === 'data_plane')) return { indicator: 'critical', description };
  return { indicator: down.length > 0 ? 'major' : 'minor', description };
}

function namesOf(components: readonly Component[]): string {
  return components.map(({ name }) => name).join(', ');
}

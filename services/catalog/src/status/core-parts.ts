import type { ComponentStatus } from '@model-gateway/shared';

/** The facts about the gateway's own parts. */
export interface CoreFacts {
  /** True if the control plane sent something within the last three seconds. */
  controlPlaneLive: boolean;
  /** Its last report; undefined: none yet. */
  health: { databaseReachable: boolean; liveDataPlanes: number } | undefined;
  /** Undefined without Redis: then limits are always counted in memory. */
  redisHealthy: boolean | undefined;
}

/** A part of the gateway. */
export interface CorePart {
  id: string;
  name: string;
  status: ComponentStatus;
  /** The problem as a clause that a "since" can follow; null: none. */
  problem: string | null;
}

/**
 * Returns the state of the gateway's own parts. While the control plane is silent, parts that only it knows
 * are degraded.
 */
export function coreParts(facts: CoreFacts): CorePart[] {
  const { controlPlaneLive, redisHealthy } = facts;
  const health = controlPlaneLive ? facts.health : undefined;
  const silent = 'Not known, because the control plane is silent';
  const part = (id: string, name: string, status: ComponentStatus, problem: string): CorePart => ({
    id,
    name,
    status,
    problem: status === 'operational' ? null : problem,
  });
  const reported = (isWell: (report: NonNullable<CoreFacts['health']>) => boolean): ComponentStatus =>
    health === undefined ? 'degraded_performance' : isWell(health) ? 'operational' : 'major_outage';
  return [
    part(
      'data_plane',
      'Data plane',
      reported(({ liveDataPlanes }) => liveDataPlanes > 0),
      health === undefined ? silent : 'None is connected to the control plane',
    ),
    part(
      'control_plane',
      'Control plane',
      controlPlaneLive ? 'operational' : 'major_outage',
      'Not heard by the status service',
    ),
    part(
      'database',
      'Database',
      reported(({ databaseReachable }) => databaseReachable),
      health === undefined ? silent : 'Not reached by the control plane',
    ),
    part(
      'limits_store',
      'Limits store',
      redisHealthy === false ? 'degraded_performance' : 'operational',
      'Not answering, so that limits are counted in memory',
    ),
  ];
}

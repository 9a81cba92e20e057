import type { Actor } from '../actors/actor.ts';
import { notFound } from '../errors/control-plane-error.ts';
import type { DrainStore } from './drain-store.ts';

/**
 * Takes a data plane out of traffic until its process ends, or back. May be repeated.
 * @returns its state; `openRequests` as last reported
 * @throws ControlPlaneError not_found
 */
export async function drainDataPlane(
  { drainStore }: { drainStore: DrainStore },
  actor: Actor,
  { instanceId, drained }: { instanceId: string; drained: boolean },
) {
  const report = await drainStore.setDrained(actor, instanceId, drained);
  if (report === undefined) {
    throw notFound(
      `no data plane ${instanceId} reports here; those that run and can be drained are in: gatewayctl status`,
    );
  }
  return { instanceId, host: report.host, drained, openRequests: report.openRequests };
}

import type { Capability } from '@model-gateway/shared';
import { demoModels, type PricedModel } from './demo-models.ts';
import { demoMoments } from './demo-moments.ts';
import { type DemoRequest, demoRequest } from './demo-request.ts';
import { pick, seededRandom } from './seeded-random.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

export interface WorkloadUsage {
  workload: Workload;
  /** The requests, the oldest first. */
  requests: DemoRequest[];
}

export interface GenerateUsageOptions {
  /** The models of the catalog in force. */
  models: readonly PricedModel[];
  /** Unix milliseconds; the last request ends before this time. */
  untilMs: number;
  /** The same seed makes the same usage. */
  seed: string;
}

export const DEMO_DAYS = 30;
const REQUESTS = 2_500;

/** Makes up thirty days of usage: nights and weekends are quiet, the usage grows, and few requests fail. */
export function generateUsage({ models, untilMs, seed }: GenerateUsageOptions): WorkloadUsage[] {
  const byCapability = demoModels(models);
  if (byCapability.size === 0) return [];
  return WORKLOADS.map((workload) => {
    const random = seededRandom(`${seed} ${workload.name}`);
    const capabilities = availableMix(workload, [...byCapability.keys()]);
    const period = { untilMs, hourCount: DEMO_DAYS * 24, count: REQUESTS * workload.share };
    const requests = demoMoments(workload, { ...period, random }).map((endedAtMs) => {
      const model = pick(random, byCapability.get(pick(random, capabilities)) ?? []);
      const streamed = random() < workload.streamed;
      return demoRequest(model, { streamed, endedAtMs }, random);
    });
    return { workload, requests };
  });
}

/** Returns the capabilities of the mix that the catalog has; if it has none, all of the catalog's. */
function availableMix(
  { mix }: Pick<Workload, 'mix'>,
  available: readonly Capability[],
): (readonly [Capability, weight: number])[] {
  const wanted = available.flatMap((capability) => {
    const weight = mix[capability];
    return weight === undefined ? [] : [[capability, weight] as const];
  });
  return wanted.length > 0 ? wanted : available.map((capability) => [capability, 1] as const);
}

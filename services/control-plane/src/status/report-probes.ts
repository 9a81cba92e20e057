import type { ReportProbesRequestMessage } from '@model-gateway/contracts';
import { z } from 'zod';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { reportedId as id } from '../reported-id.ts';
import type { ProbeStore } from './probe-store.ts';

const DAY_MS = 24 * 3_600_000;

const report = z.object({
  instanceId: id,
  probes: z
    .array(z.object({ providerId: id, outcome: z.enum(['ok', 'refused', 'failed']) }))
    .max(1_000)
    .refine((probes) => new Set(probes.map(({ providerId }) => providerId)).size === probes.length),
  validMs: z.int().min(1).max(DAY_MS),
});

/** @throws ControlPlaneError invalid_argument */
export async function reportProbes(
  { probeStore }: { probeStore: Pick<ProbeStore, 'report'> },
  message: ReportProbesRequestMessage,
): Promise<void> {
  const parsed = report.safeParse(message);
  if (!parsed.success) throw invalidArgument('the report of probes is not well-formed');
  const { instanceId, probes, validMs } = parsed.data;
  await probeStore.report(instanceId, probes, validMs);
}

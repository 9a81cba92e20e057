import type { ReportWaitingCallsRequestMessage } from '@model-gateway/contracts';
import { z } from 'zod';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { reportedId as id } from '../reported-id.ts';
import type { WaitingStore } from './waiting-store.ts';

const HOUR_MS = 3_600_000;

const report = z.object({
  instanceId: id,
  waitingCalls: z
    .array(
      z.object({
        modelId: id,
        providerId: id,
        calls: z.int().min(1).max(1_000_000_000),
        longestMs: z.coerce
          .number<string>()
          .min(0)
          .max(1_000 * HOUR_MS),
      }),
    )
    .max(1_000)
    .refine(
      (waiting) =>
        new Set(waiting.map(({ modelId, providerId }) => JSON.stringify([modelId, providerId]))).size ===
        waiting.length,
    ),
  validMs: z.int().min(1).max(HOUR_MS),
});

/** @throws ControlPlaneError invalid_argument */
export async function reportWaitingCalls(
  { waitingStore }: { waitingStore: Pick<WaitingStore, 'report'> },
  message: ReportWaitingCallsRequestMessage,
): Promise<void> {
  const parsed = report.safeParse(message);
  if (!parsed.success) throw invalidArgument('the report of waiting calls is not well-formed');
  const { instanceId, waitingCalls, validMs } = parsed.data;
  await waitingStore.report(instanceId, waitingCalls, validMs);
}

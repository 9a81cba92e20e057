import type { ReportRefusalsRequestMessage } from '@model-gateway/contracts';
import { capability } from '@model-gateway/shared';
import { z } from 'zod';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { reportedId as id } from '../reported-id.ts';
import type { RefusalStore } from './refusal-store.ts';

const milliseconds = z.string().transform(Number).pipe(z.int().positive());

const report = z.object({
  reportId: z.string().regex(/^[\w-]{1,100}$/),
  refused: z
    .array(
      z.object({
        owner: z.object({ accountId: id, seatId: id.optional() }),
        keyId: id,
        modelId: id.optional(),
        capability,
        status: z.int().min(400).max(599),
        errorCode: id,
        count: z.int().positive(),
        firstAtMs: milliseconds,
        lastAtMs: milliseconds,
      }),
    )
    .max(1_000),
});

/**
 * Adds a data plane's refused requests to those stored, once per report.
 * @throws ControlPlaneError invalid_argument
 */
export async function reportRefusals(
  { refusalStore }: { refusalStore: Pick<RefusalStore, 'add'> },
  message: ReportRefusalsRequestMessage,
): Promise<void> {
  const parsed = report.safeParse(message);
  if (!parsed.success) throw invalidArgument('the report of refused requests is not well-formed');
  const { reportId, refused } = parsed.data;
  const nowMs = Date.now();
  await refusalStore.add(
    reportId,
    refused.map(({ owner, modelId = '', firstAtMs, lastAtMs, ...entry }) => ({
      ...entry,
      accountId: owner.accountId,
      seatId: owner.seatId ?? null,
      modelId,
      // A data plane's clock may be ahead: its entry must not stay on top of the list.
      firstAt: new Date(Math.min(firstAtMs, nowMs)).toISOString(),
      lastAt: new Date(Math.min(lastAtMs, nowMs)).toISOString(),
    })),
  );
}

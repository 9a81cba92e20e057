import type { ReportProvidersRequestMessage } from '@model-gateway/contracts';
import { z } from 'zod';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { reportedId as id } from '../reported-id.ts';
import type { ProviderReportStore } from './provider-report-store.ts';

const HOUR_MS = 3_600_000;
const MAX_ENTRIES = 1_000;

/** Empty: the provider as a whole, or the identity of the data plane. */
const idOrEmpty = z.union([z.literal(''), id]);
/** Milliseconds before the report; a century at most. */
const ageMs = z.coerce
  .number<string>()
  .min(0)
  .max(876_600 * HOUR_MS);

const report = z.object({
  instanceId: id,
  breakers: z
    .array(
      z.object({ providerId: id, model: idOrEmpty, shutsEveryoneOut: z.boolean().optional(), openMs: ageMs }),
    )
    .max(MAX_ENTRIES),
  refused: z
    .array(
      z.object({
        providerId: id,
        variable: idOrEmpty,
        model: idOrEmpty,
        httpStatus: z.int().min(100).max(599).optional(),
        refusals: z.int().min(1),
        sinceMs: ageMs,
        lastMs: ageMs,
      }),
    )
    .max(MAX_ENTRIES),
  validMs: z.int().min(1).max(HOUR_MS),
});

/** @throws ControlPlaneError invalid_argument */
export async function reportProviders(
  { providerReportStore }: { providerReportStore: Pick<ProviderReportStore, 'report'> },
  message: ReportProvidersRequestMessage,
): Promise<void> {
  const parsed = report.safeParse(message);
  if (!parsed.success) throw invalidArgument('the report of providers is not well-formed');
  const { breakers, instanceId, refused, validMs } = parsed.data;
  const nowMs = Date.now();
  const ago = (ms: number) => new Date(nowMs - ms).toISOString();
  await providerReportStore.report(
    instanceId,
    {
      breakers: breakers.map(({ openMs, shutsEveryoneOut = false, ...breaker }) => ({
        ...breaker,
        shutsEveryoneOut,
        since: ago(openMs),
      })),
      refused: refused.map(({ httpStatus = null, lastMs, sinceMs, ...credential }) => ({
        ...credential,
        ...{ httpStatus, since: ago(sinceMs), last: ago(lastMs) },
      })),
    },
    validMs,
  );
}

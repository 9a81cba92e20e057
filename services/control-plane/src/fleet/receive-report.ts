import type { DataPlaneReportMessage } from '@model-gateway/contracts';
import { dataPlaneReport } from './process-report.ts';
import type { ProcessStore } from './process-store.ts';

/**
 * Stores the report of a data plane.
 * @returns the order it needs, because it is in traffic against an operator's order or the reverse;
 *   undefined: none
 * @throws ZodError for a malformed report
 */
export async function receiveReport(
  { processStore }: { processStore: Pick<ProcessStore, 'reportDataPlane'> },
  instanceId: string,
  message: DataPlaneReportMessage,
): Promise<{ drained: boolean } | undefined> {
  const report = dataPlaneReport.parse(message);
  const drained = await processStore.reportDataPlane(instanceId, report);
  return drained === report.drained ? undefined : { drained };
}

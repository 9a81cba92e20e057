import type { DataPlaneReportMessage } from '@model-gateway/contracts';
import { dataPlaneReport } from './process-report.ts';
import type { ProcessReportStore } from './process-report-store.ts';

/**
 * Stores the report of a data plane.
 * @returns the order it needs, because it is in traffic against an operator's order or the reverse;
 *   undefined: none
 * @throws ZodError for a malformed report
 */
export async function receiveReport(
  { processReportStore }: { processReportStore: Pick<ProcessReportStore, 'reportDataPlane'> },
  instanceId: string,
  message: DataPlaneReportMessage,
): Promise<{ drained: boolean } | undefined> {
  const report = dataPlaneReport.parse(message);
  const drained = await processReportStore.reportDataPlane(instanceId, report);
  return drained === report.drained ? undefined : { drained };
}

import type { SettlementServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';
import { reportProbes } from '../status/report-probes.ts';
import { unary } from './unary.ts';

export function settlementService(context: ControlPlaneContext): SettlementServiceHandlers {
  return {
    Settle: (call) => context.settlementStreams.serve(call),
    ReportProbes: unary(context, 'ReportProbes', async (report) => {
      await reportProbes(context, report);
      return {};
    }),
  };
}

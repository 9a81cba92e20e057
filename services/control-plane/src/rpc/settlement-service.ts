import type { SettlementServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../context.ts';

export function settlementService(context: ControlPlaneContext): SettlementServiceHandlers {
  return { Settle: (call) => context.settlementStreams.serve(call) };
}

import type { BillingServiceHandlers } from '@model-gateway/contracts';
import { acquireAllowance } from '../billing/acquire-allowance.ts';
import { acquireAllowances } from '../billing/acquire-allowances.ts';
import { returnAllowance, returnAllowances } from '../billing/return-allowance.ts';
import type { ControlPlaneContext } from '../context.ts';
import { reportRefusals } from '../refusals/report-refusals.ts';
import { getReceipt } from '../usage/get-receipt.ts';
import { getTotalUsage } from '../usage/get-total-usage.ts';
import { getUsage } from '../usage/get-usage.ts';
import { listReceipts } from '../usage/list-receipts.ts';
import { settleUsageStream } from './settle-usage-stream.ts';
import { read, traffic } from './unary.ts';

export function billingService(context: ControlPlaneContext): BillingServiceHandlers {
  return {
    AcquireAllowance: traffic(context, 'AcquireAllowance', (request) => acquireAllowance(context, request)),
    ReturnAllowance: traffic(context, 'ReturnAllowance', (request) => returnAllowance(context, request)),
    AcquireAllowances: traffic(context, 'AcquireAllowances', (request) =>
      acquireAllowances(context, request),
    ),
    ReturnAllowances: traffic(context, 'ReturnAllowances', (request) => returnAllowances(context, request)),
    SettleUsage: (call) => settleUsageStream(context, call),
    ReportRefusals: traffic(context, 'ReportRefusals', async (request) => {
      await reportRefusals(context, request);
      return {};
    }),
    GetUsage: read(context, 'GetUsage', (request, signal) => getUsage(context, request, signal)),
    GetReceipt: read(context, 'GetReceipt', (request, signal) => getReceipt(context, request, signal)),
    ListReceipts: read(context, 'ListReceipts', (request, signal) => listReceipts(context, request, signal)),
    GetTotalUsage: read(context, 'GetTotalUsage', (request, signal) =>
      getTotalUsage(context, request, signal),
    ),
  };
}

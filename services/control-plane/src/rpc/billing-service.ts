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
import { unary } from './unary.ts';

export function billingService(context: ControlPlaneContext): BillingServiceHandlers {
  return {
    AcquireAllowance: unary(context, 'AcquireAllowance', (request) => acquireAllowance(context, request)),
    ReturnAllowance: unary(context, 'ReturnAllowance', (request) => returnAllowance(context, request)),
    AcquireAllowances: unary(context, 'AcquireAllowances', (request) => acquireAllowances(context, request)),
    ReturnAllowances: unary(context, 'ReturnAllowances', (request) => returnAllowances(context, request)),
    SettleUsage: (call) => settleUsageStream(context, call),
    ReportRefusals: unary(context, 'ReportRefusals', async (request) => {
      await reportRefusals(context, request);
      return {};
    }),
    GetUsage: unary(context, 'GetUsage', (request, signal) => getUsage(context, request, signal)),
    GetReceipt: unary(context, 'GetReceipt', (request, signal) => getReceipt(context, request, signal)),
    ListReceipts: unary(context, 'ListReceipts', (request, signal) => listReceipts(context, request, signal)),
    GetTotalUsage: unary(context, 'GetTotalUsage', (request, signal) =>
      getTotalUsage(context, request, signal),
    ),
  };
}

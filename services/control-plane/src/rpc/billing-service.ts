import type { BillingServiceHandlers } from '@model-gateway/contracts';
import { seesCost } from '../access/sees-cost.ts';
import { acquireAllowance } from '../billing/acquire-allowance.ts';
import { acquireAllowances } from '../billing/acquire-allowances.ts';
import { returnAllowance, returnAllowances } from '../billing/return-allowance.ts';
import type { ControlPlaneContext } from '../context.ts';
import { listProviderAttempts } from '../reconciliation/list-provider-attempts.ts';
import { reportRefusals } from '../refusals/report-refusals.ts';
import {
  acquireFollowedResponses,
  reportDeletedResponse,
  resolveDeletedResponse,
} from '../settlement/followed-responses.ts';
import { getReceipt } from '../usage/get-receipt.ts';
import { getTotalUsage } from '../usage/get-total-usage.ts';
import { getUsageForKey } from '../usage/get-usage.ts';
import { listDailyUsage } from '../usage/list-daily-usage.ts';
import { listReceipts } from '../usage/list-receipts.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { settleUsageStream } from './settle-usage-stream.ts';
import { read, traffic } from './unary.ts';

export function billingService(context: ControlPlaneContext): MethodsOf<BillingServiceHandlers> {
  return {
    AcquireAllowance: traffic(context, 'AcquireAllowance', acquireAllowance),
    ReturnAllowance: traffic(context, 'ReturnAllowance', returnAllowance),
    AcquireAllowances: traffic(context, 'AcquireAllowances', acquireAllowances),
    ReturnAllowances: traffic(context, 'ReturnAllowances', returnAllowances),
    SettleUsage: (call) => settleUsageStream(context, call),
    AcquireFollowedResponses: traffic(context, 'AcquireFollowedResponses', acquireFollowedResponses),
    ReportDeletedResponse: traffic(context, 'ReportDeletedResponse', reportDeletedResponse),
    ResolveDeletedResponse: traffic(context, 'ResolveDeletedResponse', resolveDeletedResponse),
    ReportRefusals: traffic(context, 'ReportRefusals', async (_, request) => {
      await reportRefusals(context, request);
      return {};
    }),
    GetUsage: read(context, 'GetUsage', (_, request, signal, actor) =>
      getUsageForKey(context, request, signal, seesCost(actor)),
    ),
    GetReceipt: read(context, 'GetReceipt', (_, request, signal, actor) =>
      getReceipt(context, request, signal, seesCost(actor)),
    ),
    ListReceipts: read(context, 'ListReceipts', (_, request, signal, actor) =>
      listReceipts(context, request, signal, seesCost(actor)),
    ),
    GetTotalUsage: read(context, 'GetTotalUsage', (_, request, signal, actor) =>
      getTotalUsage(context, request, signal, seesCost(actor)),
    ),
    ListDailyUsage: read(context, 'ListDailyUsage', listDailyUsage),
    ListProviderAttempts: read(context, 'ListProviderAttempts', listProviderAttempts),
  };
}

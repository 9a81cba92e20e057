import type { DashboardServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../../context.ts';
import { getHolderLimits } from '../../limits/get-holder-limits.ts';
import { getHolderReceipt } from '../../usage/get-holder-receipt.ts';
import { getHolderUsage } from '../../usage/get-holder-usage.ts';
import { listHolderRequests } from '../../usage/list-holder-requests.ts';
import { read } from '../unary.ts';

export function usageHandlers(
  context: ControlPlaneContext,
): Pick<
  DashboardServiceHandlers,
  'GetHolderUsage' | 'ListHolderRequests' | 'GetHolderReceipt' | 'GetHolderLimits'
> {
  return {
    GetHolderUsage: read(context, 'GetHolderUsage', (request, signal) =>
      getHolderUsage(context, request, signal),
    ),
    ListHolderRequests: read(context, 'ListHolderRequests', (request, signal) =>
      listHolderRequests(context, request, signal),
    ),
    GetHolderReceipt: read(context, 'GetHolderReceipt', (request, signal) =>
      getHolderReceipt(context, request, signal),
    ),
    GetHolderLimits: read(context, 'GetHolderLimits', ({ accountId }, signal) =>
      getHolderLimits(context, accountId, signal),
    ),
  };
}

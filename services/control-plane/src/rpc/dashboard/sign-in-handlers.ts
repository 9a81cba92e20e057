import type { DashboardServiceHandlers } from '@model-gateway/contracts';
import { accountMessage } from '../../accounts/account-message.ts';
import { openAccount } from '../../accounts/open-account.ts';
import { redeemPasswordReset } from '../../accounts/redeem-password-reset.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { unary } from '../unary.ts';

export function signInHandlers(
  context: ControlPlaneContext,
): Pick<DashboardServiceHandlers, 'OpenAccount' | 'RedeemPasswordReset'> {
  return {
    OpenAccount: unary(context, 'OpenAccount', async (request) =>
      accountMessage(await openAccount(context, request)),
    ),
    RedeemPasswordReset: unary(context, 'RedeemPasswordReset', async (request) => {
      const { account, signInId } = await redeemPasswordReset(context, request);
      return { account: accountMessage(account), signInId };
    }),
  };
}

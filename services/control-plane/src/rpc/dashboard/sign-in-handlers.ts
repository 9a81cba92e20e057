import type { DashboardServiceHandlers } from '@model-gateway/contracts';
import { accountMessage } from '../../accounts/account-message.ts';
import { openAccount } from '../../accounts/open-account.ts';
import { redeemPasswordReset } from '../../accounts/redeem-password-reset.ts';
import type { ControlPlaneContext } from '../../context.ts';
import { change } from '../unary.ts';

export function signInHandlers(
  context: ControlPlaneContext,
): Pick<DashboardServiceHandlers, 'OpenAccount' | 'RedeemPasswordReset'> {
  return {
    OpenAccount: change(context, 'OpenAccount', 'system', async (actor, request) =>
      accountMessage(await openAccount(context, actor, request)),
    ),
    RedeemPasswordReset: change(context, 'RedeemPasswordReset', 'system', async (actor, request) => {
      const { account, signInId } = await redeemPasswordReset(context, actor, request);
      return { account: accountMessage(account), signInId };
    }),
  };
}

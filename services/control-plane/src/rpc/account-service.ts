import type { AccountServiceHandlers, LimitSettingMessage } from '@model-gateway/contracts';
import { accountMessage } from '../accounts/account-message.ts';
import type { StoredAccount } from '../accounts/account-store.ts';
import { createAccount } from '../accounts/create-account.ts';
import { effectiveLimits, type Limits } from '../accounts/effective-limits.ts';
import { listAccounts } from '../accounts/list-accounts.ts';
import { resetPassword } from '../accounts/reset-password.ts';
import { setLimits } from '../accounts/set-limits.ts';
import type { ControlPlaneContext } from '../context.ts';
import { createKey } from '../keys/create-key.ts';
import { keyMessage } from '../keys/key-message.ts';
import { listKeys } from '../keys/list-keys.ts';
import { requireKey, revokeKey } from '../keys/revoke-key.ts';
import { unary } from './unary.ts';

export function accountService(context: ControlPlaneContext): AccountServiceHandlers {
  return {
    CreateAccount: unary(context, 'CreateAccount', async (request) =>
      // An operator's word is proof.
      accountMessage(
        await createAccount(context, { ...request, emailVerified: true, poolNeedsProof: false }),
      ),
    ),
    ListAccounts: unary(context, 'ListAccounts', (request, signal) => listAccounts(context, request, signal)),
    ResetPassword: unary(context, 'ResetPassword', async (request) => {
      const { account, token, expiresAt, revokedKeys, unconfirmed } = await resetPassword(context, request);
      return {
        account: accountMessage(account),
        token,
        expiresAtMs: expiresAt.getTime(),
        revokedKeyIds: revokedKeys,
        unconfirmedInstances: unconfirmed,
      };
    }),
    GetLimits: unary(context, 'GetLimits', async ({ account }) =>
      limitsMessage(context, await context.accountStore.require(account)),
    ),
    SetLimits: unary(context, 'SetLimits', async (request) => {
      const { account, unconfirmed } = await setLimits(context, request.account, {
        freePerMinute: limitChange(request.freePerMinute),
        paidPerMinute: limitChange(request.paidPerMinute),
        readsPerMinute: limitChange(request.readsPerMinute),
        concurrentStreams: limitChange(request.concurrentStreams),
      });
      return { limits: limitsMessage(context, account), unconfirmedInstances: unconfirmed };
    }),
    CreateKey: unary(context, 'CreateKey', async (request) => {
      const { key, rawKey } = await createKey(context, request);
      return { key: keyMessage(key), rawKey };
    }),
    ListKeys: unary(context, 'ListKeys', (request, signal) => listKeys(context, request, signal)),
    RevokeKey: unary(context, 'RevokeKey', async ({ keyId, dryRun }) => {
      if (dryRun) return { key: keyMessage(await requireKey(context, keyId)), unconfirmedInstances: [] };
      const { key, unconfirmed } = await revokeKey(context, keyId);
      return { key: keyMessage(key), unconfirmedInstances: unconfirmed };
    }),
  };
}

/** What the message asks for: a value, null for the default, undefined for nothing. */
function limitChange(setting: LimitSettingMessage | null): number | null | undefined {
  return setting === null ? undefined : (setting.value ?? null);
}

function limitsMessage({ concurrentStreams }: ControlPlaneContext, account: StoredAccount) {
  const limits = effectiveLimits(account, concurrentStreams);
  const inForce = (limit: keyof Limits) => ({ value: limits[limit], isDefault: account[limit] === null });
  return {
    accountId: account.id,
    freePerMinute: inForce('freePerMinute'),
    paidPerMinute: inForce('paidPerMinute'),
    readsPerMinute: inForce('readsPerMinute'),
    concurrentStreams: inForce('concurrentStreams'),
  };
}

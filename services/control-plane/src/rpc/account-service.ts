import type {
  AccountServiceHandlers,
  ExpireKeyRequestMessage,
  LimitSettingMessage,
} from '@model-gateway/contracts';
import { accountMessage } from '../accounts/account-message.ts';
import type { StoredAccount } from '../accounts/account-store.ts';
import { createAccount } from '../accounts/create-account.ts';
import { deleteAccount } from '../accounts/delete-account.ts';
import { effectiveLimits, type Limits } from '../accounts/effective-limits.ts';
import { listAccounts } from '../accounts/list-accounts.ts';
import { resetPassword } from '../accounts/reset-password.ts';
import { setLimits } from '../accounts/set-limits.ts';
import { resumeAccount, suspendAccount } from '../accounts/suspend-account.ts';
import type { ControlPlaneContext } from '../context.ts';
import { ControlPlaneError } from '../errors/control-plane-error.ts';
import { createKey } from '../keys/create-key.ts';
import { expireKey, type KeyEnd } from '../keys/expire-key.ts';
import { keyMessage } from '../keys/key-message.ts';
import { listKeys } from '../keys/list-keys.ts';
import { renameKey } from '../keys/rename-key.ts';
import { requireKey, revokeKey } from '../keys/revoke-key.ts';
import { rotateKey } from '../keys/rotate-key.ts';
import { removedPoolMessage } from '../pools/pool-message.ts';
import { unary } from './unary.ts';

export function accountService(context: ControlPlaneContext): AccountServiceHandlers {
  return {
    CreateAccount: unary(context, 'CreateAccount', async (request) =>
      // An operator vouches for the address, so it needs no further proof.
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
    SuspendAccount: unary(context, 'SuspendAccount', async ({ account: idOrEmail }) => {
      const { account, keyIds, unconfirmed } = await suspendAccount(context, idOrEmail);
      return {
        account: accountMessage(account),
        stoppedKeyIds: keyIds,
        unconfirmedInstances: unconfirmed,
      };
    }),
    ResumeAccount: unary(context, 'ResumeAccount', async ({ account: idOrEmail }) => {
      const { account, keyIds, unconfirmed } = await resumeAccount(context, idOrEmail);
      return {
        account: accountMessage(account),
        restoredKeyIds: keyIds,
        unconfirmedInstances: unconfirmed,
      };
    }),
    DeleteAccount: unary(context, 'DeleteAccount', async ({ account }) => {
      const deleted = await deleteAccount(context, account);
      return {
        account: accountMessage(deleted.account),
        revokedKeyIds: deleted.keyIds,
        deletedTeamIds: deleted.teamIds,
        removedSeatIds: deleted.seatIds,
        removedPools: deleted.removedPools.map(removedPoolMessage),
        unconfirmedInstances: deleted.unconfirmed,
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
    RenameKey: unary(context, 'RenameKey', async (request) => keyMessage(await renameKey(context, request))),
    RotateKey: unary(context, 'RotateKey', async ({ keyId, overlapMs }) => {
      const rotated = await rotateKey(context, { keyId, overlapMs: Number(overlapMs) });
      return {
        key: keyMessage(rotated.key),
        rawKey: rotated.rawKey,
        replaced: keyMessage(rotated.replaced),
        unconfirmedInstances: rotated.unconfirmed,
      };
    }),
    ExpireKey: unary(context, 'ExpireKey', async (request) => {
      const { key, unconfirmed } = await expireKey(context, { keyId: request.keyId, at: keyEnd(request) });
      return { key: keyMessage(key), unconfirmedInstances: unconfirmed };
    }),
  };
}

/** @throws ControlPlaneError invalid_argument (the message names no end) */
function keyEnd({ when, atMs }: ExpireKeyRequestMessage): KeyEnd {
  if (when === 'now' || when === 'never') return when;
  if (when === 'atMs' && atMs !== undefined) return Number(atMs);
  throw new ControlPlaneError('invalid_argument', 'say when the key expires: a moment, now or never');
}

/** Returns the wanted value; null for the default, undefined for no change. */
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

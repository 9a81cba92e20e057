import type {
  AccountServiceHandlers,
  ExpireKeyRequestMessage,
  LimitSettingMessage,
} from '@model-gateway/contracts';
import { accountMessage } from '../accounts/account-message.ts';
import type { StoredAccount } from '../accounts/account-store.ts';
import { changeAccount } from '../accounts/change-account.ts';
import { createAccount } from '../accounts/create-account.ts';
import { deleteAccount } from '../accounts/delete-account.ts';
import { effectiveLimits, type Limits } from '../accounts/effective-limits.ts';
import { listAccounts } from '../accounts/list-accounts.ts';
import { removeDemo } from '../accounts/remove-demo.ts';
import { resetPassword } from '../accounts/reset-password.ts';
import { setLimits } from '../accounts/set-limits.ts';
import { resumeAccount, suspendAccount } from '../accounts/suspend-account.ts';
import type { ControlPlaneContext } from '../context.ts';
import { invalidArgument, permissionDenied } from '../errors/control-plane-error.ts';
import { createKey } from '../keys/create-key.ts';
import { expireKey, type KeyExpiry } from '../keys/expire-key.ts';
import { keyMessage } from '../keys/key-message.ts';
import { listKeys } from '../keys/list-keys.ts';
import { renameKey } from '../keys/rename-key.ts';
import { requireKey, revokeKey } from '../keys/revoke-key.ts';
import { rotateKey } from '../keys/rotate-key.ts';
import { omitAbsent } from '../omit-absent.ts';
import { changeKey } from '../owned-rules/change-key.ts';
import { removedPoolMessage } from '../pools/pool-message.ts';
import { requireKnownList } from '../price-lists/require-known-list.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { changedKeyMessage, newKeyMessage } from './rules-service.ts';
import { change, read } from './unary.ts';

export function accountService(context: ControlPlaneContext): MethodsOf<AccountServiceHandlers> {
  return {
    CreateAccount: change(
      context,
      'CreateAccount',
      'operator',
      async (actor, { priceListId, ...request }) => {
        // An operator vouches for the address.
        const proof = { emailVerified: true, poolNeedsProof: false };
        const list = await requireKnownList(context, priceListId);
        return accountMessage(await createAccount(context, actor, { ...request, ...list, ...proof }));
      },
    ),
    ListAccounts: read(context, 'ListAccounts', listAccounts),
    ChangeAccount: change(
      context,
      'ChangeAccount',
      'operator',
      async (actor, { priceListId, ...request }) => {
        // Keys of the management API that are bound to an account may make this call for it.
        const isBound = 'accountId' in actor && actor.accountId !== undefined;
        if (priceListId !== undefined && isBound)
          throw permissionDenied('price_list_id needs an admin key that is not bound to an account');
        const change = { ...request, priceListId: priceListId === '' ? null : priceListId };
        const { account, unconfirmed } = await changeAccount(context, actor, change);
        return changedAccountMessage({
          account: isBound ? { ...account, priceListId: null } : account,
          unconfirmed,
        });
      },
    ),
    ResetPassword: change(context, 'ResetPassword', 'operator', async (actor, request) => {
      const reset = await resetPassword(context, actor, request);
      return {
        account: accountMessage(reset.account),
        token: reset.token,
        expiresAtMs: reset.expiresAt.getTime(),
        revokedKeyIds: reset.revokedKeys,
        unconfirmedInstances: reset.unconfirmed,
      };
    }),
    SuspendAccount: change(context, 'SuspendAccount', 'operator', async (actor, request) => {
      const { keyIds: stoppedKeyIds, ...rest } = await suspendAccount(context, actor, request);
      return { ...changedAccountMessage(rest), stoppedKeyIds };
    }),
    ResumeAccount: change(context, 'ResumeAccount', 'operator', async (actor, request) => {
      const { keyIds: restoredKeyIds, ...rest } = await resumeAccount(context, actor, request);
      return { ...changedAccountMessage(rest), restoredKeyIds };
    }),
    DeleteAccount: change(context, 'DeleteAccount', 'operator', async (actor, request) => {
      const deleted = await deleteAccount(context, actor, request);
      return {
        ...changedAccountMessage(deleted),
        revokedKeyIds: deleted.keyIds,
        deletedTeamIds: deleted.teamIds,
        removedSeatIds: deleted.seatIds,
        removedPools: deleted.removedPools.map(removedPoolMessage),
      };
    }),
    RemoveDemo: change(context, 'RemoveDemo', 'operator', async (actor) => {
      const { accountId, requests, unconfirmed } = await removeDemo(context, actor);
      return { ...omitAbsent({ accountId }), requests: String(requests), unconfirmedInstances: unconfirmed };
    }),
    GetLimits: read(context, 'GetLimits', async (_, { account }) =>
      limitsMessage(context, await context.accountStore.require(account)),
    ),
    SetLimits: change(context, 'SetLimits', 'operator', async (actor, request) => {
      const { account, unconfirmed } = await setLimits(context, actor, {
        account: request.account,
        freePerMinute: limitChange(request.freePerMinute),
        paidPerMinute: limitChange(request.paidPerMinute),
        readsPerMinute: limitChange(request.readsPerMinute),
        concurrentStreams: limitChange(request.concurrentStreams),
      });
      return { limits: limitsMessage(context, account), unconfirmedInstances: unconfirmed };
    }),
    CreateKey: change(context, 'CreateKey', 'operator', async (actor, request) => {
      return await newKeyMessage(context, await createKey(context, actor, request));
    }),
    ListKeys: read(context, 'ListKeys', listKeys),
    RevokeKey: change(context, 'RevokeKey', 'operator', async (actor, { keyId, dryRun }) => {
      if (dryRun) return { key: keyMessage(await requireKey(context, keyId)), unconfirmedInstances: [] };
      const { key, unconfirmed } = await revokeKey(context, actor, { keyId });
      return { key: keyMessage(key), unconfirmedInstances: unconfirmed };
    }),
    RenameKey: change(context, 'RenameKey', 'operator', async (actor, request) =>
      keyMessage(await renameKey(context, actor, request)),
    ),
    ChangeKey: change(context, 'ChangeKey', 'operator', async (actor, { tags, ...request }) =>
      changedKeyMessage(await changeKey(context, actor, { ...request, tags: tags?.tags })),
    ),
    RotateKey: change(context, 'RotateKey', 'operator', async (actor, { keyId, overlapMs }) => {
      const rotated = await rotateKey(context, actor, { keyId, overlapMs: Number(overlapMs) });
      return {
        key: keyMessage(rotated.key),
        rawKey: rotated.rawKey,
        replaced: keyMessage(rotated.replaced),
        unconfirmedInstances: rotated.unconfirmed,
      };
    }),
    ExpireKey: change(context, 'ExpireKey', 'operator', async (actor, request) => {
      const { key, unconfirmed } = await expireKey(context, actor, {
        keyId: request.keyId,
        at: parseKeyExpiry(request),
      });
      return { key: keyMessage(key), unconfirmedInstances: unconfirmed };
    }),
  };
}

function changedAccountMessage({ account, unconfirmed }: { account: StoredAccount; unconfirmed: string[] }) {
  return { account: accountMessage(account), unconfirmedInstances: unconfirmed };
}

function parseKeyExpiry({ when, atMs }: ExpireKeyRequestMessage): KeyExpiry {
  if (when === 'now' || when === 'never') return when;
  if (when === 'atMs' && atMs !== undefined) return Number(atMs);
  throw invalidArgument('`when` must be a time, now or never');
}

/** Null: the default. Undefined: no change. */
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

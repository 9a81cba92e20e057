import type { AccountServiceHandlers, LimitSettingMessage } from '@model-gateway/contracts';
import type { StoredAccount } from '../accounts/account-store.ts';
import { createAccount } from '../accounts/create-account.ts';
import { effectiveLimits, type Limits } from '../accounts/effective-limits.ts';
import { setLimits } from '../accounts/set-limits.ts';
import type { ControlPlaneContext } from '../context.ts';
import { createKey } from '../keys/create-key.ts';
import type { StoredKey } from '../keys/key-store.ts';
import { listKeys } from '../keys/list-keys.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { unary } from './unary.ts';

export function accountService(context: ControlPlaneContext): AccountServiceHandlers {
  return {
    CreateAccount: unary(context, 'CreateAccount', async (request) =>
      accountMessage(await createAccount(context, request)),
    ),
    ListAccounts: unary(context, 'ListAccounts', async () => ({
      accounts: (await context.accountStore.list()).map(accountMessage),
    })),
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
    ListKeys: unary(context, 'ListKeys', async ({ account }) => ({
      keys: (await listKeys(context, account)).map(keyMessage),
    })),
    RevokeKey: unary(context, 'RevokeKey', async ({ keyId }) => {
      const { key, unconfirmed } = await revokeKey(context, keyId);
      return { key: keyMessage(key), unconfirmedInstances: unconfirmed };
    }),
  };
}

function accountMessage({ id, email, name, createdAt }: StoredAccount) {
  return { id, email, name, createdAtMs: createdAt.getTime() };
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

function keyMessage(key: StoredKey) {
  return {
    id: key.id,
    accountId: key.accountId,
    ...(key.seatId === null ? {} : { seatId: key.seatId }),
    name: key.name,
    displayPrefix: key.displayPrefix,
    createdAtMs: key.createdAt.getTime(),
    ...(key.revokedAt === null ? {} : { revokedAtMs: key.revokedAt.getTime() }),
  };
}

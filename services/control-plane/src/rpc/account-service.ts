import type { AccountServiceHandlers } from '@model-gateway/contracts';
import type { StoredAccount } from '../accounts/account-store.ts';
import { createAccount } from '../accounts/create-account.ts';
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

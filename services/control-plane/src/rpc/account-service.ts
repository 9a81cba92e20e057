import type { AccountServiceHandlers } from '@model-gateway/contracts';
import type { StoredAccount } from '../accounts/account-store.ts';
import { createAccount } from '../accounts/create-account.ts';
import type { ControlPlaneContext } from '../context.ts';
import { createKey } from '../keys/create-key.ts';
import type { StoredKey } from '../keys/key-store.ts';
import { revokeKey } from '../keys/revoke-key.ts';
import { unary } from './unary.ts';

export function accountService(context: ControlPlaneContext): AccountServiceHandlers {
  const { accountStore, keyStore } = context;
  return {
    CreateAccount: unary(context, 'CreateAccount', async (request) =>
      accountMessage(await createAccount(context, request)),
    ),
    ListAccounts: unary(context, 'ListAccounts', async () => ({
      accounts: (await accountStore.list()).map(accountMessage),
    })),
    CreateKey: unary(context, 'CreateKey', async (request) => {
      const { key, rawKey } = await createKey(context, request);
      return { key: keyMessage(key), rawKey };
    }),
    ListKeys: unary(context, 'ListKeys', async (request) => {
      const account = await accountStore.require(request.account);
      return { keys: (await keyStore.listOfAccount(account.id)).map(keyMessage) };
    }),
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

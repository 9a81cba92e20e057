import type { DashboardServiceHandlers } from '@model-gateway/contracts';
import type { ControlPlaneContext } from '../../context.ts';
import { createHolderKey } from '../../keys/create-holder-key.ts';
import { createPlaygroundKey } from '../../keys/create-playground-key.ts';
import type { HolderKey } from '../../keys/holder-key-list-store.ts';
import { keyMessage } from '../../keys/key-message.ts';
import { requireOwnKey } from '../../keys/require-own-key.ts';
import { revokeKey } from '../../keys/revoke-key.ts';
import { change, read } from '../unary.ts';

export function keyHandlers(
  context: ControlPlaneContext,
): Pick<
  DashboardServiceHandlers,
  'ListHolderKeys' | 'CreateHolderKey' | 'RevokeHolderKey' | 'CreatePlaygroundKey'
> {
  return {
    ListHolderKeys: read(context, 'ListHolderKeys', async ({ accountId }, signal) => ({
      keys: (await context.holderKeyListStore.list(accountId, signal)).map(holderKeyMessage),
    })),
    CreateHolderKey: change(context, 'CreateHolderKey', 'user', async (actor, request) => {
      const { key, rawKey } = await createHolderKey(context, actor, request);
      return { key: keyMessage(key), rawKey };
    }),
    RevokeHolderKey: change(context, 'RevokeHolderKey', 'user', async (actor, { keyId }) => {
      const own = await requireOwnKey(context, actor.accountId, keyId);
      const { key, unconfirmed } = await revokeKey(context, actor, { keyId: own.id });
      return { key: keyMessage(key), unconfirmedInstances: unconfirmed };
    }),
    CreatePlaygroundKey: change(context, 'CreatePlaygroundKey', 'user', async (actor, request) => {
      const { keyId, rawKey, expiresAt } = await createPlaygroundKey(context, actor, request);
      return { keyId, rawKey, expiresAtMs: expiresAt.getTime() };
    }),
  };
}

function holderKeyMessage(key: HolderKey) {
  return {
    key: keyMessage(key),
    ...(key.lastUsedAt === null ? {} : { lastUsedAtMs: key.lastUsedAt.getTime() }),
    requestsThisMonth: String(key.requestsThisMonth),
    ...(key.teamId === null ? {} : { teamId: key.teamId }),
    ...(key.teamName === null ? {} : { teamName: key.teamName }),
  };
}

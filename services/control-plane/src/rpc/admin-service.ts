import type { AdminServiceHandlers } from '@model-gateway/contracts';
import { pepperFingerprint } from '@model-gateway/shared';
import { adminKeyMessage, newAdminKeyMessage, newAdminKeyRequest } from '../admin-keys/admin-key-message.ts';
import { createAdminKey } from '../admin-keys/create-admin-key.ts';
import { listAdminKeys } from '../admin-keys/list-admin-keys.ts';
import { revokeAdminKey } from '../admin-keys/revoke-admin-key.ts';
import type { ControlPlaneContext } from '../context.ts';
import { listCredentials } from '../credentials/list-credentials.ts';
import { removeCredential } from '../credentials/remove-credential.ts';
import { setCredential } from '../credentials/set-credential.ts';
import { drainDataPlane } from '../fleet/drain-data-plane.ts';
import { keyMessage } from '../keys/key-message.ts';
import { getNames } from '../names/get-names.ts';
import { reportStatus } from '../status/report-status.ts';
import { statusMessage } from '../status/status-message.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { proveServer } from './prove-server.ts';
import { change, read } from './unary.ts';

export function adminService(context: ControlPlaneContext): MethodsOf<AdminServiceHandlers> {
  return {
    ProveServer: read(context, 'ProveServer', async (_, { nonce }) => proveServer(context, nonce)),
    GetNames: read(context, 'GetNames', getNames),
    GetStatus: read(context, 'GetStatus', async () => statusMessage(await reportStatus(context))),
    DrainDataPlane: change(context, 'DrainDataPlane', 'operator', (actor, { instanceId }) =>
      drainDataPlane(context, actor, { instanceId, drained: true }),
    ),
    UndrainDataPlane: change(context, 'UndrainDataPlane', 'operator', (actor, { instanceId }) =>
      drainDataPlane(context, actor, { instanceId, drained: false }),
    ),
    SetCredential: change(context, 'SetCredential', 'operator', (actor, request) =>
      setCredential(context, actor, request),
    ),
    ListCredentials: read(context, 'ListCredentials', listCredentials),
    RemoveCredential: change(context, 'RemoveCredential', 'operator', (actor, { name }) =>
      removeCredential(context, actor, name),
    ),
    CreateAdminKey: change(context, 'CreateAdminKey', 'operator', async (actor, request) =>
      newAdminKeyMessage(await createAdminKey(context, actor, newAdminKeyRequest(request))),
    ),
    ListAdminKeys: read(context, 'ListAdminKeys', async (_, { account, ...page }) =>
      listAdminKeys(context, { ...page, accountId: await accountIdOf(context, account) }),
    ),
    RevokeAdminKey: change(context, 'RevokeAdminKey', 'operator', async (actor, { id }) =>
      adminKeyMessage(await revokeAdminKey(context, actor, id)),
    ),
    ListOldPepperKeys: read(context, 'ListOldPepperKeys', async () => {
      const { oldPepperStore, pepper } = context;
      const fingerprint = pepperFingerprint(pepper);
      const keys = await oldPepperStore.list(fingerprint);
      return { total: await oldPepperStore.count(fingerprint), keys: keys.map(keyMessage) };
    }),
  };
}

async function accountIdOf(
  { accountStore }: ControlPlaneContext,
  account: string | undefined,
): Promise<string | undefined> {
  return account === undefined ? undefined : (await accountStore.require(account)).id;
}

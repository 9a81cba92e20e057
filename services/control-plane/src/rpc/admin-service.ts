import type { AdminServiceHandlers } from '@model-gateway/contracts';
import { pepperFingerprint } from '@model-gateway/shared';
import type { ControlPlaneContext } from '../context.ts';
import { listCredentials } from '../credentials/list-credentials.ts';
import { removeCredential } from '../credentials/remove-credential.ts';
import { setCredential } from '../credentials/set-credential.ts';
import { keyMessage } from '../keys/key-message.ts';
import { getNames } from '../names/get-names.ts';
import { reportStatus } from '../status/report-status.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { proveServer } from './prove-server.ts';
import { change, read } from './unary.ts';

export function adminService(context: ControlPlaneContext): MethodsOf<AdminServiceHandlers> {
  return {
    ProveServer: read(context, 'ProveServer', async (_, { nonce }) => proveServer(context, nonce)),
    GetNames: read(context, 'GetNames', getNames),
    GetStatus: read(context, 'GetStatus', reportStatus),
    SetCredential: change(context, 'SetCredential', 'operator', (actor, request) =>
      setCredential(context, actor, request),
    ),
    ListCredentials: read(context, 'ListCredentials', listCredentials),
    RemoveCredential: change(context, 'RemoveCredential', 'operator', (actor, { name }) =>
      removeCredential(context, actor, name),
    ),
    ListOldPepperKeys: read(context, 'ListOldPepperKeys', async () => {
      const { oldPepperStore, pepper } = context;
      const fingerprint = pepperFingerprint(pepper);
      const keys = await oldPepperStore.list(fingerprint);
      return { total: await oldPepperStore.count(fingerprint), keys: keys.map(keyMessage) };
    }),
  };
}

import type { AdminServiceHandlers } from '@model-gateway/contracts';
import { pepperFingerprint } from '@model-gateway/shared';
import type { ControlPlaneContext } from '../context.ts';
import { keyMessage } from '../keys/key-message.ts';
import { getNames } from '../names/get-names.ts';
import { reportStatus } from '../status/report-status.ts';
import { proveServer } from './prove-server.ts';
import { read } from './unary.ts';

export function adminService(context: ControlPlaneContext): AdminServiceHandlers {
  return {
    ProveServer: read(context, 'ProveServer', async (_, { nonce }) => proveServer(context, nonce)),
    GetNames: read(context, 'GetNames', getNames),
    GetStatus: read(context, 'GetStatus', reportStatus),
    ListOldPepperKeys: read(context, 'ListOldPepperKeys', async () => {
      const { oldPepperStore, pepper } = context;
      const fingerprint = pepperFingerprint(pepper);
      const keys = await oldPepperStore.list(fingerprint);
      return { total: await oldPepperStore.count(fingerprint), keys: keys.map(keyMessage) };
    }),
  };
}

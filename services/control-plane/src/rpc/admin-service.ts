import type { AdminServiceHandlers } from '@model-gateway/contracts';
import { pepperFingerprint } from '@model-gateway/shared';
import type { ControlPlaneContext } from '../context.ts';
import { keyMessage } from '../keys/key-message.ts';
import { reportStatus } from '../status/report-status.ts';
import { waitingMessages } from '../status/waiting-message.ts';
import { proveServer } from './prove-server.ts';
import { read } from './unary.ts';

export function adminService(context: ControlPlaneContext): AdminServiceHandlers {
  return {
    ProveServer: read(context, 'ProveServer', async ({ nonce }) => proveServer(context, nonce)),
    GetStatus: read(context, 'GetStatus', async () => {
      const report = await reportStatus(context);
      return {
        version: report.version,
        uptimeSeconds: report.uptimeSeconds,
        keyRevision: String(report.keyRevision),
        catalogRevision: String(report.catalog.revision),
        accounts: report.accounts,
        activeKeys: report.activeKeys,
        providers: report.catalog.providers,
        models: report.catalog.models,
        dataPlanes: report.dataPlanes.map(({ endedAt, ...plane }) => ({
          instanceId: plane.instanceId,
          controlPlaneId: plane.controlPlaneId,
          ackedRevision: String(plane.ackedRevision),
          live: endedAt === null,
          ...(endedAt === null ? {} : { endedAtMs: endedAt.getTime() }),
          missingCredentials: plane.missingCredentials,
        })),
        credentials: report.credentials,
        waitingCalls: waitingMessages(report.waiting),
        health: report.health,
      };
    }),
    ListOldPepperKeys: read(context, 'ListOldPepperKeys', async () => {
      const { oldPepperStore, pepper } = context;
      const fingerprint = pepperFingerprint(pepper);
      const keys = await oldPepperStore.list(fingerprint);
      return { total: await oldPepperStore.count(fingerprint), keys: keys.map(keyMessage) };
    }),
  };
}

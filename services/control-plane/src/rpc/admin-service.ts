import process from 'node:process';
import type { AdminServiceHandlers } from '@model-gateway/contracts';
import { VERSION } from '@model-gateway/service-kit';
import type { ControlPlaneContext } from '../context.ts';
import { unary } from './unary.ts';

export function adminService(context: ControlPlaneContext): AdminServiceHandlers {
  return {
    GetStatus: unary(context, 'GetStatus', async () => {
      const [keys, catalog, accounts, watchers] = await Promise.all([
        context.keyStore.count(),
        context.catalogStore.read(),
        context.accountStore.count(),
        context.watcherStore.list(),
      ]);
      return {
        version: VERSION,
        uptimeSeconds: Math.floor(process.uptime()),
        databaseReachable: true,
        keyRevision: String(keys.revision),
        catalogRevision: String(catalog.revision),
        accounts,
        activeKeys: keys.active,
        providers: catalog.providers.length,
        models: catalog.models.length,
        dataPlanes: watchers.map(({ instanceId, controlPlaneId, ackedRevision, live }) => ({
          instanceId,
          controlPlaneId,
          ackedRevision: String(ackedRevision),
          live,
        })),
      };
    }),
  };
}

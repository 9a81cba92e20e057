import type { CatalogServiceHandlers } from '@model-gateway/contracts';
import { addToCatalog } from '../catalog/add-to-catalog.ts';
import { type AppliedCatalog, applyCatalog } from '../catalog/apply-catalog.ts';
import { catalogMessage } from '../catalog/catalog-message.ts';
import { removeFromCatalog } from '../catalog/remove-from-catalog.ts';
import type { ControlPlaneContext } from '../context.ts';
import { reportProbes } from '../status/report-probes.ts';
import { unary } from './unary.ts';

export function catalogService(context: ControlPlaneContext): CatalogServiceHandlers {
  return {
    GetCatalog: unary(context, 'GetCatalog', async () => catalogMessage(await context.catalogStore.read())),
    WatchCatalog: (call) => {
      const removes: (() => void)[] = [];
      const remove = () => {
        for (const each of removes) each();
      };
      removes.push(
        context.catalogFeed.add({
          sendCatalog: (catalog) => void call.write({ catalog }),
          sendHealth: (heartbeat) => void call.write({ heartbeat }),
          end: () => {
            remove();
            call.end();
          },
        }),
      );
      if (call.request.withModelHealth) {
        removes.push(context.healthFeed.add((modelHealth) => void call.write({ modelHealth })));
      }
      call.on('cancelled', remove);
      call.on('error', remove);
    },
    ApplyCatalog: unary(context, 'ApplyCatalog', async ({ documentJson, dryRun }) =>
      appliedMessage(await applyCatalog(context, documentJson, dryRun)),
    ),
    AddToCatalog: unary(context, 'AddToCatalog', async ({ documentJson, dryRun }) =>
      appliedMessage(await addToCatalog(context, documentJson, dryRun)),
    ),
    RemoveFromCatalog: unary(context, 'RemoveFromCatalog', async ({ id, dryRun }) =>
      appliedMessage(await removeFromCatalog(context, id, dryRun)),
    ),
    ReportProbes: unary(context, 'ReportProbes', async (report) => {
      await reportProbes(context, report);
      return {};
    }),
  };
}

function appliedMessage({ revision, providers, models }: AppliedCatalog) {
  return { revision: String(revision), providers, models };
}

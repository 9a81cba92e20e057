import type { CatalogServiceHandlers } from '@model-gateway/contracts';
import { addToCatalog } from '../catalog/add-to-catalog.ts';
import { type AppliedCatalog, applyCatalog } from '../catalog/apply-catalog.ts';
import { catalogMessage } from '../catalog/catalog-message.ts';
import { catalogVersionMessage } from '../catalog/catalog-version-message.ts';
import { dropUnchargeableModels } from '../catalog/drop-unchargeable-models.ts';
import { KEPT_VERSIONS } from '../catalog/keep-version-store.ts';
import { removeFromCatalog } from '../catalog/remove-from-catalog.ts';
import type { ControlPlaneContext } from '../context.ts';
import { missingCredentials } from '../credentials/missing-credentials.ts';
import { reportProviders } from '../provider-reports/report-providers.ts';
import { reportProbes } from '../status/report-probes.ts';
import { reportWaitingCalls } from '../status/report-waiting-calls.ts';
import type { MethodsOf } from './grpc-handlers.ts';
import { priceListMethods } from './price-list-methods.ts';
import { change, read, traffic } from './unary.ts';

export function catalogService(context: ControlPlaneContext): MethodsOf<CatalogServiceHandlers> {
  return {
    GetCatalog: read(context, 'GetCatalog', async () => catalogMessage(await context.catalogStore.read())),
    WatchCatalog: (call) => {
      const removes: (() => void)[] = [];
      const remove = () => {
        for (const each of removes) each();
      };
      removes.push(
        context.catalogFeed.add({
          sendCatalog: ({ credentials, ...catalog }) =>
            void call.write({
              catalog: dropUnchargeableModels(catalog, call.request.knownPrices),
              ...(call.request.withCredentials ? { credentials, hasCredentials: true } : {}),
            }),
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
      if (call.request.withProviderCredentials) {
        removes.push(
          context.credentialFeed.add((providerCredentials) => void call.write({ providerCredentials })),
        );
      }
      call.on('cancelled', remove);
      call.on('error', remove);
    },
    ApplyCatalog: change(context, 'ApplyCatalog', 'operator', async (actor, request) => {
      const applied = await applyCatalog(context, actor, request);
      return appliedMessage(applied, await missingCredentials(context, applied.document));
    }),
    AddToCatalog: change(context, 'AddToCatalog', 'operator', async (actor, request) => {
      const applied = await addToCatalog(context, actor, request);
      return appliedMessage(applied, await missingCredentials(context, applied.document));
    }),
    RemoveFromCatalog: change(context, 'RemoveFromCatalog', 'operator', async (actor, request) =>
      appliedMessage(await removeFromCatalog(context, actor, request), []),
    ),
    ListCatalogVersions: read(context, 'ListCatalogVersions', async () => {
      const versions = await context.catalogVersionStore.list(KEPT_VERSIONS);
      return { versions: versions.map(catalogVersionMessage) };
    }),
    GetCatalogVersion: read(context, 'GetCatalogVersion', async (_, { revision }) => {
      const { document } = await context.catalogVersionStore.require(BigInt(revision));
      return { documentJson: JSON.stringify(document) };
    }),
    ...priceListMethods(context),
    ReportProbes: traffic(context, 'ReportProbes', async (_, report) => {
      await reportProbes(context, report);
      return {};
    }),
    ReportWaitingCalls: traffic(context, 'ReportWaitingCalls', async (_, report) => {
      await reportWaitingCalls(context, report);
      return {};
    }),
    ReportProviders: traffic(context, 'ReportProviders', async (_, report) => {
      await reportProviders(context, report);
      return {};
    }),
  };
}

function appliedMessage(
  {
    guardrails,
    revision,
    providers,
    models,
  }: Pick<AppliedCatalog, 'guardrails' | 'models' | 'providers' | 'revision'>,
  missing: Awaited<ReturnType<typeof missingCredentials>>,
) {
  return { revision: String(revision), providers, models, guardrails, missingCredentials: missing };
}

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  billApiOf,
  fetchBill,
  type Period,
  readAttempts,
  readOverlappingBills,
  reconcile,
  reportJson,
} from '@model-gateway/reconciliation';
import { DAY_MS, utcDay } from '@model-gateway/shared';
import type { PriceBook } from '../billing/price-book.ts';
import type { CatalogStore } from '../catalog/catalog-store.ts';
import { listProviderAttempts } from './list-provider-attempts.ts';
import type { ProviderAttemptStore } from './provider-attempt-store.ts';
import type { ReconciledProvider } from './reconcile-setting.ts';

export interface ReconcileContext {
  catalogStore: Pick<CatalogStore, 'read'>;
  providerAttemptStore: Pick<ProviderAttemptStore, 'list' | 'upstreamModels'>;
  priceBook: Pick<PriceBook, 'find'>;
}

/** Compares the bill of one day with the records. @throws BillError; Error if there is no bill */
export async function reconcileDay(
  context: ReconcileContext,
  setting: ReconciledProvider & { adminKey: string | undefined },
  dayMs: number,
  signal: AbortSignal,
) {
  const { credentials, models, provider, tolerance_percent, tolerance_usd } = setting;
  const period = { fromMs: dayMs, toMs: dayMs + DAY_MS };
  const names = {
    models: await context.providerAttemptStore.upstreamModels(provider, signal),
    credentials: new Map(Object.entries(credentials).map(([variable, id]) => [id, variable])),
    billedModels: new Map(Object.entries(models)),
  };
  const bill = await openBill(context, setting, period, signal);
  const attempts = readAttempts(
    (request) => listProviderAttempts(context, request, signal),
    provider,
    period,
  );
  const report = await reconcile({ bill, attempts, names, period });
  const day = utcDay(dayMs);
  return {
    provider,
    from: day,
    to: day,
    ...reportJson(report, { milliPercent: tolerance_percent, nanoUsd: tolerance_usd }),
  };
}

async function openBill(
  { catalogStore }: ReconcileContext,
  { adminKey, api_url, exports, provider: id }: ReconciledProvider & { adminKey: string | undefined },
  period: Period,
  signal: AbortSignal,
) {
  if (exports !== undefined) return readOverlappingBills(exportsIn(exports, period.fromMs));
  const provider = (await catalogStore.read()).providers.find((each) => each.id === id);
  const api = provider && billApiOf({ kind: provider.kind, baseUrl: provider.base_url });
  if (provider === undefined)
    throw new Error(`the catalog has no provider ${id}: correct "provider" in RECONCILE`);
  if (api === undefined || adminKey === undefined)
    throw new Error(
      `only the bills of OpenAI and Anthropic can be fetched: set "exports" for ${id} in RECONCILE to a folder`,
    );
  return fetchBill(api, {
    adminKey,
    ...period,
    signal,
    ...(api_url === undefined ? {} : { baseUrl: api_url }),
  });
}

/** Lists the files of a folder that were written since the day began, the newest first. */
function exportsIn(folder: string, dayMs: number): string[] {
  const files = readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return { path, status: statSync(path) };
  });
  const recent = files.filter(({ status }) => status.isFile() && status.mtimeMs >= dayMs);
  if (recent.length === 0)
    throw new Error(
      `${folder} has no export of ${utcDay(dayMs)} or later: check that the provider writes its exports there`,
    );
  return recent.toSorted((one, other) => other.status.mtimeMs - one.status.mtimeMs).map(({ path }) => path);
}

import { isDeepStrictEqual } from 'node:util';
import type { ModelMessage, ProviderMessage } from '@model-gateway/contracts';
import type { Environment } from '@model-gateway/service-kit';
import { flatPricing } from '@model-gateway/shared';
import type { Command } from 'commander';
import { bundledPrices, MAX_PRICE_AGE_DAYS, priceAgeDays } from '../catalog-file/bundled-files.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Io } from '../io.ts';
import { formatTable } from '../output/format-table.ts';
import { isListed, listProviderModels, useProxyOf } from '../provider-models/index.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

/** Differences between the catalog and a provider's model list, and old prices. */
interface CheckedProvider {
  provider: string;
  /** Why it could not be compared; null: it was. */
  problem: string | null;
  /** The provider's names of models in the catalog that it no longer lists. */
  retired: string[];
  /** The provider's names of models that the catalog lacks, so that their price is unknown. */
  new: string[];
  /** Models with prices of a bundled catalog that are older than 60 days. */
  old_prices: { model: string; found_on: string }[];
}

interface CheckOptions {
  environment: Environment;
  prices: ReturnType<typeof bundledPrices>;
}

export function addCatalogCheck(catalog: Command, run: RunCommand, io: Io): void {
  catalog
    .command('check')
    .description(
      "compare the catalog with the providers' own model lists, and name prices older than 60 days; exit code " +
        '1 if a model is gone; reads the keys of providers from this shell and .env',
    )
    .option('--provider <id>', 'only this provider')
    .action(({ provider: only }: { provider?: string }) =>
      run(async (client) => {
        const { models, providers } = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
        const chosen = providers.filter(({ id }) => only === undefined || id === only);
        if (chosen.length === 0 && only !== undefined)
          throw new CommandFailure([
            `there is no provider ${only} in the catalog; list them with catalog show`,
          ]);
        const environment = { ...io.readEnvFile(), ...io.environment };
        useProxyOf(environment);
        const options = { environment, prices: bundledPrices(io.catalogDir) };
        const checked = await Promise.all(
          chosen.map((provider) => {
            const own = models.filter(({ upstreams }) =>
              upstreams.some((one) => one.provider === provider.id),
            );
            return checkProvider(provider, own, options);
          }),
        );
        const text = formatTable(['PROVIDER', 'MODEL', 'STATE'], checked.flatMap(rowsOf));
        return { json: checked, text, failed: checked.some(({ retired }) => retired.length > 0) };
      }),
    );
}

async function checkProvider(
  { baseUrl, credentialEnv, credentialEnvs, headers, id, kind }: ProviderMessage,
  models: readonly ModelMessage[],
  { environment, prices }: CheckOptions,
): Promise<CheckedProvider> {
  const old = models.flatMap((model) => oldPrice(model, prices));
  const credentials = credentialEnvs.length > 0 ? credentialEnvs : [credentialEnv ?? []].flat();
  const listed = await listProviderModels({ baseUrl, credentials, headers, kind }, environment);
  if (typeof listed === 'string') {
    return { provider: id, problem: listed, retired: [], new: [], old_prices: old };
  }
  const upstreams = models.flatMap((each) => each.upstreams).filter(({ provider }) => provider === id);
  const inCatalog = [...new Set(upstreams.map(({ model }) => model))];
  return {
    provider: id,
    problem: null,
    retired: inCatalog.filter((model) => !isListed(model, listed)).toSorted(),
    new: listed.filter((model) => !isListed(model, inCatalog)).toSorted(),
    old_prices: old,
  };
}

/** Returns a model whose price is that of a bundled catalog and old, else nothing. */
function oldPrice({ id, pricing }: ModelMessage, prices: CheckOptions['prices']) {
  const bundled = prices.get(id);
  if (bundled === undefined || !isDeepStrictEqual({ ...pricing }, flatPricing(bundled.pricing))) return [];
  const isOld = priceAgeDays(bundled.foundOn, Date.now()) > MAX_PRICE_AGE_DAYS;
  return isOld ? [{ model: id, found_on: bundled.foundOn }] : [];
}

function rowsOf({ new: unknown, old_prices: old, problem, provider, retired }: CheckedProvider): string[][] {
  const rows = [
    ...(problem === null ? [] : [[provider, '', `not checked: ${problem}`]]),
    ...retired.map((model) => [provider, model, 'gone: the provider does not list it']),
    ...unknown.map((model) => [provider, model, 'not in the catalog, price unknown']),
    ...old.map(({ found_on: day, model }) => [
      provider,
      model,
      `price of ${day}: compare it with the provider's`,
    ]),
  ];
  return rows.length === 0 ? [[provider, '', 'matches the list of the provider']] : rows;
}

import { isDeepStrictEqual } from 'node:util';
import type { ModelMessage, ProviderMessage } from '@model-gateway/contracts';
import type { Environment } from '@model-gateway/service-kit';
import { flatPricing, outdatedPrices, type PricesFrom, pricesFrom } from '@model-gateway/shared';
import type { Command } from 'commander';
import { bundledPrices } from '../catalog-file/bundled-files.ts';
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
  /** Models with prices that are older than 60 days or have ended. */
  old_prices: { model: string; found_on: string; ended_on: string | null }[];
}

interface CheckOptions {
  environment: Environment;
  prices: ReturnType<typeof bundledPrices>;
}

export function addCatalogCheck(catalog: Command, run: RunCommand, io: Io): void {
  catalog
    .command('check')
    .description(
      "compare the catalog with the providers' own model lists, and name prices that are older than 60 days or have ended; exit code " +
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

/** Returns a model with prices that are old or have ended, else nothing. */
function oldPrice(model: ModelMessage, prices: CheckOptions['prices']): CheckedProvider['old_prices'] {
  const outdated = outdatedPrices(originOf(model, prices), Date.now());
  if (outdated === undefined) return [];
  return [{ model: model.id, found_on: outdated.date, ended_on: outdated.until ?? null }];
}

/** A catalog of an earlier release does not say it, but may have the prices of a bundled one. */
function originOf(
  { id, pricesFrom: own, pricing }: ModelMessage,
  prices: CheckOptions['prices'],
): PricesFrom {
  if (own !== undefined) return pricesFrom.safeParse(JSON.parse(own)).data ?? [];
  const bundled = prices.get(id);
  const isBundled = bundled !== undefined && isDeepStrictEqual({ ...pricing }, flatPricing(bundled.pricing));
  return isBundled ? bundled.pricesFrom : [];
}

function rowsOf({ new: unknown, old_prices: old, problem, provider, retired }: CheckedProvider): string[][] {
  const rows = [
    ...(problem === null ? [] : [[provider, '', `not checked: ${problem}`]]),
    ...retired.map((model) => [provider, model, 'gone: the provider does not list it']),
    ...unknown.map((model) => [provider, model, 'not in the catalog, price unknown']),
    ...old.map(({ ended_on: end, found_on: day, model }) => [
      provider,
      model,
      `price of ${day}${end === null ? '' : `, valid until ${end}`}: compare it with the provider's`,
    ]),
  ];
  return rows.length === 0 ? [[provider, '', 'matches the list of the provider']] : rows;
}

import type { ProviderMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { CommandFailure } from '../../command-failure.ts';
import type { Io } from '../../io.ts';
import { formatTable } from '../../output/table.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';
import { listProviderModels } from './list-provider-models.ts';

/** Differences between the catalog and a provider's list of its models. Names are the provider's. */
interface CheckedProvider {
  provider: string;
  /** Why it could not be compared; null: it was. */
  problem: string | null;
  /** In the catalog, but no longer at the provider. */
  retired: string[];
  /** At the provider, but not in the catalog, so their price is unknown. */
  new: string[];
}

export function addCatalogCheck(catalog: Command, run: RunCommand, io: Pick<Io, 'environment'>): void {
  catalog
    .command('check')
    .description(
      "compare the catalog with the providers' own lists of models: exit code 1 if a model is gone",
    )
    .option('--provider <id>', 'only this provider')
    .action(({ provider: only }: { provider?: string }) =>
      run(async (client) => {
        const { models, providers } = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
        const chosen = providers.filter(({ id }) => only === undefined || id === only);
        if (chosen.length === 0 && only !== undefined)
          throw new CommandFailure([`there is no provider ${only} in the catalog`]);
        const upstreams = models.flatMap((model) => model.upstreams);
        const checked = await Promise.all(
          chosen.map((provider) => {
            const inCatalog = upstreams.filter((one) => one.provider === provider.id);
            return check(provider, new Set(inCatalog.map(({ model }) => model)), io.environment);
          }),
        );
        const text = formatTable(['PROVIDER', 'MODEL', 'STATE'], checked.flatMap(rowsOf));
        return { json: checked, text, failed: checked.some(({ retired }) => retired.length > 0) };
      }),
    );
}

async function check(
  provider: ProviderMessage,
  inCatalog: ReadonlySet<string>,
  environment: Io['environment'],
): Promise<CheckedProvider> {
  const { id } = provider;
  const listed = await listProviderModels(provider, environment);
  if (typeof listed === 'string') return { provider: id, problem: listed, retired: [], new: [] };
  const there = new Set(listed);
  return {
    provider: id,
    problem: null,
    retired: [...inCatalog].filter((model) => !there.has(model)).toSorted(),
    new: listed.filter((model) => !inCatalog.has(model)).toSorted(),
  };
}

function rowsOf({ new: more, problem, provider, retired }: CheckedProvider): string[][] {
  if (problem !== null) return [[provider, '', `not checked: ${problem}`]];
  const rows = [
    ...retired.map((model) => [provider, model, 'gone: the provider does not list it']),
    ...more.map((model) => [provider, model, 'not in the catalog, price unknown']),
  ];
  return rows.length === 0 ? [[provider, '', 'as the provider lists']] : rows;
}

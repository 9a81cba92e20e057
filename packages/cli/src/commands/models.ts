import type { Command } from 'commander';
import { modelRows, modelTable, providerRows, providerTable } from '../output/catalog-tables.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

export function addModels(program: Command, run: RunCommand): void {
  addModelsList(program.command('models').description('show the models that callers can use'), run);
}

function addModelsList(models: Command, run: RunCommand): void {
  models
    .command('list')
    .description('list the models of the catalog with their prices; `catalog show` prints everything')
    .option('--provider <id>', 'only models that this provider serves')
    .action(({ provider }: { provider?: string }) =>
      run(async (client) => {
        const rows = modelRows(await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {}), provider);
        return { json: rows, text: modelTable(rows) };
      }),
    );
}

export function addProviders(program: Command, run: RunCommand): void {
  addProvidersList(program.command('providers').description('show the providers of models'), run);
}

function addProvidersList(providers: Command, run: RunCommand): void {
  providers
    .command('list')
    .description('list the providers of the catalog; `status` says which lack their credentials')
    .action(() =>
      run(async (client) => {
        const rows = providerRows(await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {}));
        return { json: rows, text: providerTable(rows) };
      }),
    );
}

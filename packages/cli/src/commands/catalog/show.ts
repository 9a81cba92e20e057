import type { Command } from 'commander';
import { stringify } from 'yaml';
import { catalogFile } from '../../catalog-file/catalog-file.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addCatalogShow(catalog: Command, run: RunCommand): void {
  catalog
    .command('show')
    .description('print the catalog as a file that `catalog apply` takes')
    .action(() =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
        const file = catalogFile(answer);
        return { json: file, text: stringify(file, { lineWidth: 0, aliasDuplicateObjects: false }) };
      }),
    );
}

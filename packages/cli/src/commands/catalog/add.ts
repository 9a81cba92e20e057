import type { Command } from 'commander';
import { sendCatalogFile } from '../../catalog-file/send-catalog-file.ts';
import type { Io } from '../../io.ts';
import { catalogChangesJson, catalogChangesText, catalogWarningNote } from '../../output/catalog-changes.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Options {
  file: string;
  dryRun: boolean;
}

export function addCatalogAdd(catalog: Command, run: RunCommand, io: Pick<Io, 'readStdin'>): void {
  catalog
    .command('add')
    .description('add what a file lists to the catalog, or change it there; nothing else changes')
    .requiredOption('-f, --file <file>', 'YAML or JSON; - is standard input')
    .option('--dry-run', 'only report what would change', false)
    .action(({ file, dryRun }: Options) =>
      run(async (client) => {
        const answer = await sendCatalogFile(file, io, (documentJson) =>
          client.call(CALL_DEADLINE_MS, 'catalog', 'addToCatalog', { documentJson, dryRun }),
        );
        const result = catalogChangesJson(answer, dryRun);
        const note = catalogWarningNote(result);
        return { json: result, text: catalogChangesText(result), ...(note === undefined ? {} : { note }) };
      }),
    );
}

import type { Command } from 'commander';
import { sendCatalogFile } from '../../catalog-file/send-catalog-file.ts';
import type { Io } from '../../io.ts';
import { catalogChangesJson, catalogChangesText, catalogWarningNote } from '../../output/catalog-changes.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Options {
  file: string;
  dryRun: boolean;
  ifNone: boolean;
}

export function addCatalogApply(catalog: Command, run: RunCommand, io: Pick<Io, 'readStdin'>): void {
  catalog
    .command('apply')
    .description('make the catalog what a file says: all of it, or nothing when it has an error')
    .requiredOption('-f, --file <file>', 'YAML or JSON; - is standard input')
    .option('--dry-run', 'only report what would change', false)
    .option(
      '--if-none',
      'do nothing where a catalog was ever applied, so that a start undoes no change',
      false,
    )
    .action(({ file, dryRun, ifNone }: Options) =>
      run(async (client) => {
        if (ifNone) {
          const { revision } = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
          if (revision !== '0') return unchanged(Number(revision), dryRun);
        }
        const answer = await sendCatalogFile(file, io, (documentJson) =>
          client.call(CALL_DEADLINE_MS, 'catalog', 'applyCatalog', { documentJson, dryRun }),
        );
        const result = catalogChangesJson(answer, dryRun);
        const note = catalogWarningNote(result);
        return { json: result, text: catalogChangesText(result), ...(note === undefined ? {} : { note }) };
      }),
    );
}

function unchanged(revision: number, dryRun: boolean) {
  const nothing = { added: [], changed: [], retired: [] };
  const json = { revision, dry_run: dryRun, providers: nothing, models: nothing, warnings: [] };
  return { json, text: `There is a catalog already, at revision ${revision}: nothing was applied.\n` };
}

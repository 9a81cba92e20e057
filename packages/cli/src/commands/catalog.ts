import type { ApplyCatalogResponseMessage } from '@model-gateway/contracts';
import { type Command, InvalidArgumentError } from 'commander';
import { stringify } from 'yaml';
import { catalogFile } from '../catalog-file/catalog-file.ts';
import { freeAliases } from '../catalog-file/free-aliases.ts';
import { sendCatalogFile } from '../catalog-file/send-catalog-file.ts';
import type { Io } from '../io.ts';
import {
  catalogChangesJson,
  catalogChangesText,
  catalogWarningNote,
} from '../output/catalog-changes-text.ts';
import { catalogVersionJson, catalogVersionsTable } from '../output/catalog-version-table.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';
import { addCatalogCheck } from './catalog-check.ts';

export function addCatalog(program: Command, run: RunCommand, io: Io): void {
  const catalog = program.command('catalog').description('show and change providers, models and prices');
  addCatalogAdd(catalog, run, io);
  addCatalogApply(catalog, run, io);
  addCatalogCheck(catalog, run, io);
  addCatalogHistory(catalog, run);
  addCatalogRemove(catalog, run);
  addCatalogRollback(catalog, run);
  addCatalogShow(catalog, run);
}

interface FileOptions {
  file: string;
  dryRun: boolean;
}

function addFileOptions(command: Command): Command {
  return command
    .requiredOption('-f, --file <file>', 'YAML or JSON; - reads standard input')
    .option('--dry-run', 'only report what would change', false);
}

function addCatalogAdd(catalog: Command, run: RunCommand, io: Io): void {
  addFileOptions(
    catalog
      .command('add')
      .description(
        'add or update the providers and models that a file lists, and nothing else; ' +
          'with npm start, they also take their aliases from simulated models',
      ),
  ).action(({ file, dryRun }: FileOptions) =>
    run(async (client, { isOfNpmStart }) => {
      const current = isOfNpmStart
        ? await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {})
        : undefined;
      const answer = await sendCatalogFile(file, io, (json) => {
        const documentJson = current === undefined ? json : freeAliases(json, current);
        return client.call(CALL_DEADLINE_MS, 'catalog', 'addToCatalog', { documentJson, dryRun });
      });
      return changesResult(answer, dryRun);
    }),
  );
}

function addCatalogApply(catalog: Command, run: RunCommand, io: Io): void {
  addFileOptions(
    catalog
      .command('apply')
      .description('replace the whole catalog by a file; a file with an error changes nothing'),
  )
    .option('--if-none', 'do nothing if a catalog was ever applied; for start scripts', false)
    .action(({ file, dryRun, ifNone }: FileOptions & { ifNone: boolean }) =>
      run(async (client) => {
        if (ifNone) {
          const { revision } = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
          if (revision !== '0') return unchangedResult(Number(revision), dryRun);
        }
        const answer = await sendCatalogFile(file, io, (documentJson) =>
          client.call(CALL_DEADLINE_MS, 'catalog', 'applyCatalog', { documentJson, dryRun }),
        );
        return changesResult(answer, dryRun);
      }),
    );
}

function changesResult(answer: ApplyCatalogResponseMessage, dryRun: boolean): CommandResult {
  const json = catalogChangesJson(answer, dryRun);
  return { json, text: catalogChangesText(json), note: catalogWarningNote(json) };
}

function unchangedResult(revision: number, dryRun: boolean): CommandResult {
  const nothing = { added: [], changed: [], retired: [] };
  const json = { revision, dry_run: dryRun, providers: nothing, models: nothing, warnings: [] };
  return { json, text: `There is a catalog already, at revision ${revision}: nothing was applied.\n` };
}

function addCatalogHistory(catalog: Command, run: RunCommand): void {
  catalog
    .command('history')
    .description('list the last 200 catalogs that were in force, newest first')
    .action(() =>
      run(async (client) => {
        const { versions } = await client.call(CALL_DEADLINE_MS, 'catalog', 'listCatalogVersions', {});
        const rows = versions.map(catalogVersionJson);
        return { json: rows, text: catalogVersionsTable(rows) };
      }),
    );
}

function addCatalogRollback(catalog: Command, run: RunCommand): void {
  catalog
    .command('rollback')
    .description('replace the whole catalog by one that was in force')
    .argument('<REVISION>', 'as in `catalog history`', parseRevision)
    .option('--dry-run', 'only report what would change', false)
    .action((revision: number, { dryRun }: { dryRun: boolean }) =>
      run(async (client) => {
        const { documentJson } = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalogVersion', {
          revision,
        });
        const request = { documentJson, dryRun };
        return changesResult(await client.call(CALL_DEADLINE_MS, 'catalog', 'applyCatalog', request), dryRun);
      }),
    );
}

function parseRevision(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a revision, such as 12.');
}

function addCatalogRemove(catalog: Command, run: RunCommand): void {
  catalog
    .command('remove')
    .description('retire a model, or a provider and the models that no other provider serves')
    .argument('<MODEL_OR_PROVIDER_ID>', 'id as in `catalog show`; model ids contain a slash')
    .option('--dry-run', 'only report what would change', false)
    .action((id: string, { dryRun }: { dryRun: boolean }) =>
      run(async (client) => {
        const request = { id, dryRun };
        const answer = await client.callOnce(CALL_DEADLINE_MS, 'catalog', 'removeFromCatalog', request);
        const json = catalogChangesJson(answer, dryRun);
        return { json, text: catalogChangesText(json) };
      }),
    );
}

function addCatalogShow(catalog: Command, run: RunCommand): void {
  catalog
    .command('show')
    .description('print the catalog as a file for `catalog apply`')
    .action(() =>
      run(async (client) => {
        const file = catalogFile(await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {}));
        return { json: file, text: stringify(file, { lineWidth: 0, aliasDuplicateObjects: false }) };
      }),
    );
}

import type { PriceListDetailsMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { parseCatalogFile } from '../catalog-file/parse-catalog-file.ts';
import type { Io } from '../io.ts';
import {
  listedPriceListJson,
  type PriceListJson,
  priceListJson,
  priceListTable,
  priceListText,
} from '../output/price-list-text.ts';
import { parseTime } from '../parse-time.ts';
import { readAllPages } from '../read-all-pages.ts';
import { readInput } from '../read-input.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';

type Input = Pick<Io, 'readStdin'>;

export function addPriceLists(program: Command, run: RunCommand, io: Input): void {
  const priceLists = program
    .command('price-lists')
    .description(
      'manage price lists: what accounts are charged, by a factor on the catalog or by fixed prices',
    );
  addPriceListsCreate(priceLists, run, io);
  addPriceListsList(priceLists, run);
  addPriceListsShow(priceLists, run);
  addPriceListsChange(priceLists, run);
  addPriceListsAddVersion(priceLists, run, io);
  addPriceListsDelete(priceLists, run);
}

interface TermsOptions {
  factor?: string;
  file?: string;
  /** Unix seconds. */
  validFrom?: number;
}

function addTermsOptions(command: Command): Command {
  return command
    .option('--factor <factor>', 'multiply the prices of the catalog, such as 1.2 for 20 % more')
    .option('-f, --file <file>', 'instead of --factor: terms as YAML or JSON; - reads standard input')
    .option('--valid-from <time>', 'date or Unix seconds, in the future (now)', parseTime);
}

/** Refuses both or none of --factor and --file. */
function requireTerms(command: Command, { factor, file }: TermsOptions): void {
  if ((factor === undefined) === (file === undefined)) command.error('error: give either --factor or --file');
}

/** Reads the terms of a version from --factor or --file. */
async function versionOf({ factor, file, validFrom }: TermsOptions, io: Input) {
  const source = file === '-' ? 'standard input' : (file ?? '');
  const terms = file === undefined ? { factor } : parseCatalogFile(await readInput(file, io), source).content;
  return {
    termsJson: JSON.stringify(terms),
    ...(validFrom !== undefined && { validFromMs: validFrom * 1_000 }),
  };
}

function addPriceListsCreate(priceLists: Command, run: RunCommand, io: Input): void {
  const create: Command = addTermsOptions(priceLists.command('create'))
    .description('create a price list with its first version')
    .requiredOption('--name <name>', 'name for people')
    .option('--default', 'make it the list of all accounts without one of their own', false)
    .action((options: TermsOptions & { name: string; default: boolean }) => {
      requireTerms(create, options);
      return run(async (client) => {
        const version = await versionOf(options, io);
        const request = { name: options.name, isDefault: options.default, version };
        return detailsResult(await client.callOnce(CALL_DEADLINE_MS, 'catalog', 'createPriceList', request));
      });
    });
}

function addPriceListsList(priceLists: Command, run: RunCommand): void {
  priceLists
    .command('list')
    .description('list price lists with their last versions, newest first')
    .action(() =>
      run(async (client) => ({
        pages: readAllPages(
          (place) => client.call(CALL_DEADLINE_MS, 'catalog', 'listPriceLists', place),
          (answer) => answer.listsJson.map(listedPriceListJson),
        ),
        table: priceListTable,
      })),
    );
}

function addPriceListsShow(priceLists: Command, run: RunCommand): void {
  withId(priceLists.command('show'))
    .description('show a price list with all its versions')
    .action((id: string) =>
      run(async (client) =>
        detailsResult(await client.call(CALL_DEADLINE_MS, 'catalog', 'getPriceList', { id })),
      ),
    );
}

function addPriceListsChange(priceLists: Command, run: RunCommand): void {
  const change: Command = withId(priceLists.command('change'))
    .description('rename a price list, or make it the default')
    .option('--name <name>', 'name for people')
    .option('--default', 'make it the list of all accounts without one of their own')
    .option('--no-default', 'stop being the default: such accounts pay the prices of the catalog')
    .action((id: string, { default: isDefault, name }: { default?: boolean; name?: string }) => {
      if (name === undefined && isDefault === undefined)
        change.error('error: give --name, --default or --no-default');
      return run(async (client) => {
        const request = {
          id,
          ...(name !== undefined && { name }),
          ...(isDefault !== undefined && { isDefault }),
        };
        return detailsResult(await client.call(CALL_DEADLINE_MS, 'catalog', 'changePriceList', request));
      });
    });
}

function addPriceListsAddVersion(priceLists: Command, run: RunCommand, io: Input): void {
  const add: Command = addTermsOptions(withId(priceLists.command('add-version')))
    .description('add a version, which replaces the one before; running requests keep their prices')
    .action((id: string, options: TermsOptions) => {
      requireTerms(add, options);
      return run(async (client) => {
        const request = { id, version: await versionOf(options, io) };
        return detailsResult(
          await client.callOnce(CALL_DEADLINE_MS, 'catalog', 'addPriceListVersion', request),
        );
      });
    });
}

function addPriceListsDelete(priceLists: Command, run: RunCommand): void {
  withId(priceLists.command('delete'))
    .description('delete a price list that no account has; receipts keep their prices')
    .action((id: string) =>
      run(async (client) => {
        await client.call(CALL_DEADLINE_MS, 'catalog', 'deletePriceList', { id });
        return { json: { id, deleted: true }, text: `${id} is deleted\n` };
      }),
    );
}

function withId(command: Command): Command {
  return command.argument('<PRICE_LIST_ID>', 'id as in `price-lists list`');
}

function detailsResult(message: PriceListDetailsMessage): CommandResult {
  const json: PriceListJson = priceListJson(message.listJson);
  return { json, text: priceListText(json) };
}

import { basename } from 'node:path';
import type { CatalogMessage } from '@model-gateway/contracts';
import { utcDay } from '@model-gateway/shared';
import { type Command, InvalidArgumentError } from 'commander';
import { CommandFailure } from '../command-failure.ts';
import type { Io } from '../io.ts';
import {
  catalogChangesJson,
  catalogChangesText,
  catalogWarningNote,
} from '../output/catalog-changes-text.ts';
import { priceComparisonText } from '../output/price-comparison-text.ts';
import {
  comparePrices,
  isAbove,
  isApplicable,
  isNarrower,
  type ModelComparison,
} from '../price-sync/compare-prices.ts';
import { readPriceSource } from '../price-sync/read-source.ts';
import type { PriceSourceFile } from '../price-sync/source-model.ts';
import { syncedModels } from '../price-sync/sync-prices.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

const DEFAULT_THRESHOLD = 20;

interface SyncOptions {
  from: string;
  dryRun: boolean;
  yes: boolean;
  threshold: number;
  limits: boolean;
  serviceTiers: boolean;
  match?: Map<string, string>;
  model?: string[];
  json?: boolean;
}

export function addPrices(program: Command, run: RunCommand, io: Io): void {
  const prices = program
    .command('prices')
    .description('compare the prices of the catalog with public price files');
  addPricesSync(prices, run, io);
}

function addPricesSync(prices: Command, run: RunCommand, io: Io): void {
  prices
    .command('sync')
    .description(
      'compare the prices of the catalog with a public price file, print each difference, and apply it; asks ' +
        'before changes above --threshold; exit code 1 if nothing was applied because nobody said yes',
    )
    .requiredOption(
      '--from <file or url>',
      "litellm's model_prices_and_context_window.json, models.dev's api.json or OpenRouter's /api/v1/models; " +
        '- reads standard input',
    )
    .option('--dry-run', 'only print the differences', false)
    .option('--yes', 'apply changes of any size, and narrower limits', false)
    .option(
      '--threshold <percent>',
      'ask before a price changes by more than this, or is new',
      parsePercent,
      DEFAULT_THRESHOLD,
    )
    .option(
      '--limits',
      'also apply contexts, maximum outputs and modalities, which are only printed else; asks before one becomes ' +
        'narrower, or is new',
      false,
    )
    .option(
      '--service-tiers',
      'also add service tiers that a model does not have, which allows requests for them',
      false,
    )
    .option(
      '--match <model=entry>',
      'compare a model of the catalog with this entry of the file; repeatable',
      addMatch,
    )
    .option('--model <id>', 'only this model; repeatable', (id: string, ids: string[] = []) => [...ids, id])
    .action((_own: unknown, command: Command) => {
      const options = command.optsWithGlobals<SyncOptions>();
      return run(async (client) => {
        const source = await readPriceSource(options.from, io);
        const catalog = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
        const models = compareChosen(catalog, source, options);
        const { format, entries } = source;
        const compared = { source: options.from, format, entries: entries.size, models };
        const changed = syncedModels(catalog, models, {
          source: sourceName(options.from),
          date: utcDay(Date.now()),
          withLimits: options.limits,
        });
        const report = priceComparisonText(compared);
        const unapplied = { ...compared, applied: null };
        if (options.dryRun) return { json: unapplied, text: `${report}Dry run: nothing was applied.\n` };
        if (changed.length === 0) return { json: unapplied, text: `${report}There is nothing to apply.\n` };
        const large = models
          .filter(isApplicable)
          .flatMap(({ changes }) => changes.filter((change) => isAbove(change, options.threshold)));
        const narrower = options.limits ? models.flatMap(({ limits }) => limits.filter(isNarrower)) : [];
        const needsYes = large.length + narrower.length > 0 && !options.yes;
        const asks = needsYes && io.inputIsTerminal && options.json !== true && options.from !== '-';
        if (asks) io.writeOut(report);
        const finding = [
          ...(large.length > 0
            ? [`${large.length} prices change by more than ${options.threshold} %, or are new.`]
            : []),
          ...(narrower.length > 0 ? [`${narrower.length} limits become narrower, or are new.`] : []),
        ].join(' ');
        if (needsYes && !(asks && isYes(await io.readLine(`${finding} Apply everything? [y/N] `))))
          return {
            json: unapplied,
            text: `${asks ? '' : report}Nothing was applied. ${finding} Apply everything with --yes.\n`,
            failed: true,
          };
        const answer = await client.call(CALL_DEADLINE_MS, 'catalog', 'addToCatalog', {
          documentJson: JSON.stringify({ providers: [], models: changed }),
          dryRun: false,
        });
        const applied = catalogChangesJson(answer, false);
        return {
          json: { ...compared, applied },
          text: `${asks ? '' : report}${catalogChangesText(applied)}`,
          note: catalogWarningNote(applied),
        };
      });
    });
}

/** @throws CommandFailure for a model or an entry that does not exist */
function compareChosen(
  catalog: CatalogMessage,
  source: PriceSourceFile,
  { match = new Map(), model: chosen = [], serviceTiers }: SyncOptions,
): ModelComparison[] {
  const ids = new Set(catalog.models.map(({ id }) => id));
  const unknown = [...chosen, ...match.keys()].filter((id) => !ids.has(id));
  const missing = [...match.values()].filter((key) => !source.entries.has(key));
  const problems = [
    ...unknown.map((id) => `there is no model ${id} in the catalog; list them with catalog show`),
    ...missing.map((key) => `the price file has no entry ${key}; search the file for the model`),
  ];
  if (problems.length > 0) throw new CommandFailure(problems);
  const models = catalog.models.filter(({ id }) => chosen.length === 0 || chosen.includes(id));
  return comparePrices({ ...catalog, models }, source, { matches: match, addsServiceTiers: serviceTiers });
}

/** Returns what `prices_from` of the catalog says: the URL without its secrets, or the name of the file. */
function sourceName(from: string): string {
  if (/^https?:/.test(from)) {
    const { origin, pathname } = new URL(from);
    return `${origin}${pathname}`;
  }
  return from === '-' ? 'standard input' : basename(from);
}

function isYes(answer: string): boolean {
  return /^y(es)?$/i.test(answer.trim());
}

function parsePercent(text: string): number {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a percentage, such as 20.');
}

function addMatch(text: string, matches: ReadonlyMap<string, string> = new Map()): Map<string, string> {
  const [, model, entry] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (model === undefined || entry === undefined)
    throw new InvalidArgumentError('It must be a model and an entry, such as azure/chat=azure/gpt-5.5.');
  return new Map([...matches, [model, entry]]);
}

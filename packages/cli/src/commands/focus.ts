import type { ControlPlaneCalls, DailyUsageMessage, ModelMessage } from '@model-gateway/contracts';
import {
  disjointUnits,
  type FocusOptions,
  type FocusUsage,
  writeFocusCsv,
  writeFocusParquet,
} from '@model-gateway/provider-bills';
import { DAY_MS, parseUsd, perUnit, UNITS, utcDay } from '@model-gateway/shared';
import { unitPrices } from '@model-gateway/shared/prices';
import { type Command, Option } from 'commander';
import { parseDay } from '../parse-day.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

interface Options {
  /** Beginnings of days, Unix milliseconds. */
  from: number;
  to?: number;
  format?: 'csv' | 'parquet';
  output?: string;
  view?: FocusOptions['view'];
  operator?: string;
}

const PAGE_LENGTH = 1_000;
const DEFAULT_OPERATOR = 'Model Gateway';

export function addFocus(program: Command, run: RunCommand): void {
  const focus = program.command('focus').description('export usage for FinOps tools');
  addFocusExport(focus, run);
}

function addFocusExport(focus: Command, run: RunCommand): void {
  const command = focus.command('export');
  command
    .description('write the usage of all keys by day, model and unit as a FOCUS 1.2 file')
    .requiredOption('--from <day>', 'first day (UTC), such as 2026-11-01', parseDay)
    .option('--to <day>', 'last day, included (the first)', parseDay)
    .addOption(new Option('--format <format>', 'format of the file (csv)').choices(['csv', 'parquet']))
    .option('-o, --output <file>', 'file to write (focus-FROM-TO.csv)')
    .addOption(
      new Option(
        '--view <view>',
        'cost: what providers charge; charge: what accounts are charged (cost)',
      ).choices(['cost', 'charge']),
    )
    .option('--operator <name>', `company that runs the gateway (${DEFAULT_OPERATOR})`)
    .action((options: Options) => {
      const toMs = (options.to ?? options.from) + DAY_MS;
      if (toMs <= options.from) command.error('error: --to must not be before --from');
      return run(async (client) => {
        const days = `${utcDay(options.from)}-${utcDay(toMs - DAY_MS)}`;
        const file = options.output ?? `focus-${days}.${options.format ?? 'csv'}`;
        const rows = await writeFocus(client, options, toMs, file);
        return { json: { file, rows }, text: `${file}: ${rows} rows\n` };
      });
    });
}

async function writeFocus(
  client: ControlPlaneCalls,
  { format = 'csv', from, operator = DEFAULT_OPERATOR, view = 'cost' }: Options,
  toMs: number,
  file: string,
): Promise<number> {
  const catalog = await client.call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
  const models = new Map(catalog.models.map((model) => [model.id, model]));
  const providers = new Map(
    catalog.providers.map(({ id, name, region }) => [id, { name, region: region ?? null }]),
  );
  const request = { startTime: String(from / 1_000), endTime: String(toMs / 1_000), limit: PAGE_LENGTH };
  let rows = 0;
  async function* usage(): AsyncGenerator<FocusUsage> {
    const pages = readAllPages(
      (place) => client.call(CALL_DEADLINE_MS, 'billing', 'listDailyUsage', { ...request, ...place }),
      (page) => page.usage,
    );
    for await (const page of pages) {
      for (const daily of page) {
        const model = models.get(daily.modelId);
        // Daily sums do not name the provider, so a model counts for the provider that it prefers.
        const provider = providers.get(model?.upstreams[0]?.provider ?? '');
        for (const row of rowsOf(daily, model, provider, view)) {
          rows += 1;
          yield row;
        }
      }
    }
  }
  const options: FocusOptions = { view, operator, billingAccount: { id: operator, name: operator } };
  await (format === 'csv' ? writeFocusCsv : writeFocusParquet)(file, usage(), options);
  return rows;
}

/**
 * Splits the money of a sum by the catalog's prices of its units; the last one gets the rest. Money without
 * units gets a row of its own.
 */
export function rowsOf(
  {
    accountEmail,
    charged,
    keyId,
    keyName,
    modelId,
    owner,
    providerCost,
    startTime,
    units,
  }: DailyUsageMessage,
  model: ModelMessage | undefined,
  provider: { name: string; region: string | null } | undefined,
  view: FocusOptions['view'],
): FocusUsage[] {
  const counts = units === null ? {} : disjointUnits(perUnit('unit', ({ unit }) => BigInt(units[unit])));
  const prices = unitPrices(model?.pricing ?? {}, { inputTokens: 0 });
  const parts = UNITS.flatMap(({ price: { per }, unit }) => {
    const quantity = counts[unit] ?? 0n;
    const unitPriceUsd = prices[unit] ?? '0';
    // Multiplied by a million, because a price may be for a million units.
    const weight = (quantity * (parseUsd(unitPriceUsd) ?? 0n) * 1_000_000n) / BigInt(per);
    return quantity === 0n ? [] : [{ usage: { unit, quantity, unitPriceUsd }, weight }];
  });
  const total = BigInt(view === 'cost' ? providerCost : charged);
  const whole = parts.reduce((sum, { weight }) => sum + weight, 0n);
  let left = total;
  const account = { id: owner?.accountId ?? '', name: accountEmail ?? null };
  const startTimeMs = Number(startTime) * 1_000;
  const withMoney = parts.length === 0 && total !== 0n ? [{ usage: null, weight: 0n }] : parts;
  return withMoney.map(({ usage, weight }, index) => {
    const isLast = index === withMoney.length - 1;
    const billedNanoUsd = isLast ? left : whole === 0n ? 0n : (total * weight) / whole;
    left -= billedNanoUsd;
    return {
      startTimeMs,
      endTimeMs: startTimeMs + DAY_MS,
      account,
      key: { id: keyId, name: keyName ?? null },
      model: { id: modelId, name: model?.name ?? null },
      provider: provider?.name ?? 'unknown',
      region: provider?.region ?? null,
      serviceTier: null,
      usage,
      billedNanoUsd,
      tags: {},
    };
  });
}

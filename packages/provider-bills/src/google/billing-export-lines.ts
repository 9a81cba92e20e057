import { type Decimal, nanoUsdOf, parseDecimal, wholeOrText } from '@model-gateway/shared';
import { z } from 'zod';
import { BillError } from '../bill-error.ts';
import { type BillLine, billLine } from '../bill-line.ts';
import type { Row } from '../row.ts';
import { parseSku } from './sku.ts';

/** Services for models. Anthropic's models have services of their own. */
const SERVICES = /vertex ai|agent platform|gemini|generative language|claude|anthropic|mistral|llama/i;
/** Units of tokens and searches. The storage of caches is in hours. */
const COUNTS: ReadonlySet<string> = new Set(['count', 'requests', 'tokens', '']);

const credits = z.array(
  z.looseObject({ name: z.string().nullish(), amount: z.union([z.string(), z.number()]) }),
);

/**
 * Converts a row of the billing export of Google Cloud. Skips rows of other services. `cost` is before
 * credits, which become lines of their own with a negative cost.
 */
export function billingExportLines(row: Row): BillLine[] {
  if (!SERVICES.test(row.text('service_description') ?? '')) return [];
  row.requireUsd('currency');
  const sku = row.text('sku_description') ?? '';
  const { model, serviceTier, unit } = parseSku(sku);
  const amount = row.decimal('usage_amount');
  const cost = row.decimal('cost');
  const isCounted = COUNTS.has(row.text('usage_unit')?.toLowerCase() ?? '');
  // Taxes and rounding have a `cost_type`; only `regular` rows are usage.
  const costType = row.text('cost_type')?.toLowerCase() ?? 'regular';
  const isUsage = costType === 'regular';
  const base = {
    startTimeMs: row.time('usage_start_time'),
    endTimeMs: row.timeOrNull('usage_end_time'),
    model,
    project: row.text('project_id'),
    serviceTier,
  };
  return [
    billLine({
      ...base,
      unit: isUsage && isCounted ? unit : null,
      unitName: isUsage ? sku : `${costType}: ${sku}`,
      quantity: isUsage && amount !== null ? wholeOrText(amount) : null,
      costNanoUsd: cost === null ? null : nanoUsdOf(cost),
    }),
    ...creditsOf(row).map(({ amount: credited, name }) =>
      billLine({ ...base, unit: null, unitName: `credit: ${name}`, costNanoUsd: nanoUsdOf(credited) }),
    ),
  ];
}

/** Reads credits, which are a JSON array in one cell, or a column each for name and amount. */
function creditsOf(row: Row): { name: string; amount: Decimal }[] {
  const flat = row.decimal('credits_amount');
  if (flat !== null) return [{ name: row.text('credits_name') ?? '', amount: flat }];
  const text = row.text('credits');
  if (text === null) return [];
  const parsed = credits.safeParse(jsonOf(text));
  const list = parsed.data?.map(({ amount, name }) => ({
    name: name ?? '',
    amount: parseDecimal(String(amount)),
  }));
  return (
    list?.map(({ amount, name }) => ({ name, amount: amount ?? refuse(row, text) })) ?? refuse(row, text)
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(row: Row, text: string): never {
  throw new BillError(
    `${row.place}, column credits: "${text.slice(0, 80)}" is not a JSON array with amounts`,
  );
}

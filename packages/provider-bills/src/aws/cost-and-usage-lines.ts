import { type Decimal, nanoUsdOf, times, wholeOrText } from '@model-gateway/shared';
import { type BillLine, billLine } from '../bill-line.ts';
import type { Row } from '../row.ts';
import { parseUsageType } from './usage-type.ts';

export const CUR_COLUMNS = [
  'line_item_line_item_type',
  'line_item_product_code',
  'line_item_usage_start_date',
  'line_item_usage_type',
  'line_item_usage_amount',
  'line_item_unblended_cost',
];
const OPTIONAL_COLUMNS = [
  'line_item_usage_end_date',
  'line_item_currency_code',
  'line_item_resource_id',
  'line_item_iam_principal',
  'line_item_usage_account_id',
  'line_item_line_item_description',
  'pricing_unit',
  'product',
  'product_product_name',
];

const BEDROCK = /bedrock/i;
/** Types of rows that are usage; the others are taxes, credits, discounts and fees. */
const USAGE_TYPES: ReadonlySet<string | null> = new Set([
  'Usage',
  'DiscountedUsage',
  'SavingsPlanCoveredUsage',
]);
/** The model in the id of a foundation model or of a profile that AWS defines. */
const MODEL_ARN = /:(?:foundation-model|inference-profile)\/(?<model>.+)$/;
const OWN_PROFILE = /:application-inference-profile\//;
const PRODUCT_NAME = /"product_name"\s*:\s*"([^"]+)"/;
/** "1K tokens", "1M tokens" or "Million Input Tokens" in the pricing unit or the description. */
const THOUSANDS = /\b1K\b|\bthousand\b|\b1,?000\b/i;
const MILLIONS = /\b1M\b|\bmillion\b|\b1,?000,?000\b/i;

/** Returns the columns of a report that are read. */
export function curColumnsIn(columns: readonly string[]): string[] {
  return columns.filter((column) => CUR_COLUMNS.includes(column) || OPTIONAL_COLUMNS.includes(column));
}

/**
 * Converts a row of a Cost and Usage Report 2.0. Skips rows of other services than Bedrock. Taxes, credits
 * and discounts become lines with money only.
 */
export function costAndUsageLines(row: Row): BillLine[] {
  const product = row.text('product_product_name') ?? row.text('product') ?? '';
  const description = row.text('line_item_line_item_description') ?? '';
  if (![row.text('line_item_product_code') ?? '', product, description].some((text) => BEDROCK.test(text)))
    return [];
  row.requireUsd('line_item_currency_code');
  const cost = row.decimal('line_item_unblended_cost');
  const amount = row.decimal('line_item_usage_amount');
  const usageType = row.text('line_item_usage_type') ?? '';
  const resource = row.text('line_item_resource_id') ?? '';
  const type = row.text('line_item_line_item_type');
  const isUsage = USAGE_TYPES.has(type);
  const usage = parseUsageType(usageType);
  const factor = isUsage ? factorOf(row.text('pricing_unit') ?? '', description) : undefined;
  // Without a known unit the line keeps its name, and its quantity is not compared.
  const unit = isUsage && factor !== undefined ? usage.unit : null;
  return [
    billLine({
      startTimeMs: row.time('line_item_usage_start_date'),
      endTimeMs: row.timeOrNull('line_item_usage_end_date'),
      model: MODEL_ARN.exec(resource)?.groups?.model ?? usage.model ?? productName(row),
      credential: OWN_PROFILE.test(resource) ? resource : row.text('line_item_iam_principal'),
      project: row.text('line_item_usage_account_id'),
      serviceTier: usage.serviceTier,
      unit,
      unitName: isUsage ? usageType : `${type}: ${description || usageType}`,
      quantity: isUsage && amount !== null ? quantityOf(amount, factor) : null,
      costNanoUsd: cost === null ? null : nanoUsdOf(cost),
    }),
  ];
}

/** Returns the product's name from a map, which is a column per key in Parquet and JSON in CSV. */
function productName(row: Row): string | null {
  return row.text('product_product_name') ?? PRODUCT_NAME.exec(row.text('product') ?? '')?.[1] ?? null;
}

function quantityOf(amount: Decimal, factor: bigint | undefined): bigint | string {
  return wholeOrText(times(amount, factor ?? 1n));
}

/** Returns the tokens per unit of the amount; undefined: the row does not say. */
function factorOf(pricingUnit: string, description: string): bigint | undefined {
  for (const text of [pricingUnit, description]) {
    if (MILLIONS.test(text)) return 1_000_000n;
    if (THOUSANDS.test(text)) return 1_000n;
  }
  return /^tokens?$/i.test(pricingUnit) ? 1n : undefined;
}

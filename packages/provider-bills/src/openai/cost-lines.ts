import { nanoUsdOf, times, wholeOrText } from '@model-gateway/shared';
import { type BillLine, type BillUnit, billLine } from '../bill-line.ts';
import type { Row } from '../row.ts';

/** Units by the words after the model in a line item ("gpt-4o-2024-08-06, cached input"), without a tier. */
const UNITS: Readonly<Record<string, BillUnit>> = {
  input: 'inputTokens',
  'text input': 'inputTokens',
  'cached input': 'cachedInputTokens',
  'cached text input': 'cachedInputTokens',
  'cache write': 'cacheWriteTokens',
  'cache write input': 'cacheWriteTokens',
  'audio input': 'audioInputTokens',
  'image input': 'imageInputTokens',
  output: 'outputTokens',
  'text output': 'outputTokens',
  'audio output': 'audioOutputTokens',
  'image output': 'imageOutputTokens',
  images: 'images',
  characters: 'characters',
};
const TIERS = /\b(?:batch|flex|priority|scale)\b/;
/** The gateway's units per unit of the quantity. */
const QUANTITY_FACTORS: Readonly<Record<string, bigint>> = {
  tokens: 1n,
  '1000_tokens': 1_000n,
  images: 1n,
  characters: 1n,
};

/** Converts a result of OpenAI's costs API, or a row of the dashboard's cost export. */
export function openAiCostLines(row: Row): BillLine[] {
  row.requireUsd('amount_currency');
  const item = row.text('line_item');
  const { model, tier, unit } = parseLineItem(item ?? '');
  const amount = row.decimal('amount_value');
  const quantity = row.decimal('quantity');
  // A quantity without a unit may be anything, so only the money is kept.
  const factor = QUANTITY_FACTORS[row.text('quantity_unit') ?? ''];
  if (amount === null) return [];
  return [
    billLine({
      startTimeMs: row.time('start_time'),
      endTimeMs: row.timeOrNull('end_time'),
      model,
      credential: row.text('api_key_id'),
      project: row.text('project_id'),
      serviceTier: tier,
      unit,
      unitName: item ?? 'total',
      quantity: quantity === null || factor === undefined ? null : wholeOrText(times(quantity, factor)),
      costNanoUsd: nanoUsdOf(amount),
    }),
  ];
}

function parseLineItem(item: string): { model: string | null; tier: string | null; unit: BillUnit | null } {
  const comma = item.lastIndexOf(',');
  const words = item
    .slice(comma + 1)
    .trim()
    .toLowerCase();
  const tier = TIERS.exec(words)?.[0] ?? null;
  const unit = UNITS[words.replace(TIERS, '').replace(/\s+/g, ' ').trim()];
  if (comma === -1 || unit === undefined) return { model: null, tier: null, unit: null };
  return { model: item.slice(0, comma).trim(), tier, unit };
}

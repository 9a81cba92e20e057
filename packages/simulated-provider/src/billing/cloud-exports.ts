import { ByteWriter, parquetWriteRows } from 'hyparquet-writer';
import { PROJECT } from '../tokens/service-account.ts';
import { type BillLedger, costOf, groupRequests, type PricedRequest, sumOf } from './bill-ledger.ts';
import { formatFemto } from './price-table.ts';
import { SERVED_UNITS, type ServedUnit } from './served-work.ts';

const HOUR_MS = 3_600_000;
const AWS_ACCOUNT = '111122223333';
const AWS_REGION = 'USE1';
const DOUBLE_COLUMNS: ReadonlySet<string> = new Set(['line_item_usage_amount', 'line_item_unblended_cost']);
const TIME_COLUMNS: ReadonlySet<string> = new Set(['line_item_usage_start_date', 'line_item_usage_end_date']);

/** Endings of Bedrock's usage types. */
const USAGE_TYPES: Partial<Record<ServedUnit, string>> = {
  input: 'input-tokens',
  cachedInput: 'cache-read-input-token-count',
  cacheWrite: 'cache-write-input-token-count',
  cacheWrite1h: 'cache-write-1h-input-token-count',
  output: 'output-tokens',
};
/** The words of Vertex AI's SKUs after the model. */
const SKUS: Partial<Record<ServedUnit, string>> = {
  input: 'Text Input - Predictions',
  cachedInput: 'Text Input Caching',
  cacheWrite: 'Text Input Cache Write',
  cacheWrite1h: 'Text Input Cache Write 1h',
  output: 'Text Output - Predictions',
  webSearches: 'Grounding with Google Search - Predictions',
};

/** The use of one unit in one hour by requests with the same model, tier and key. */
interface HourOfUnit {
  startMs: number;
  unit: ServedUnit;
  first: PricedRequest;
  count: number;
  usd: string;
}

function hoursOf(requests: readonly PricedRequest[]): HourOfUnit[] {
  const keyOf = ({ keyId, model, serviceTier, timeMs }: PricedRequest) =>
    JSON.stringify([Math.floor(timeMs / HOUR_MS), model, serviceTier, keyId]);
  return groupRequests(requests, keyOf).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    return SERVED_UNITS.flatMap((unit) => {
      const count = sumOf(group, unit);
      const startMs = Math.floor(first.timeMs / HOUR_MS) * HOUR_MS;
      return count === 0 ? [] : [{ startMs, unit, first, count, usd: formatFemto(costOf(group, unit)) }];
    });
  });
}

/** Returns the rows of a Cost and Usage Report 2.0, one per hour, model and unit, in thousands of tokens. */
export function costAndUsageRows(
  ledger: BillLedger,
  fromMs?: number,
  toMs?: number,
): Record<string, string>[] {
  return hoursOf(ledger.billed('bedrock', fromMs, toMs)).map(({ count, first, startMs, unit, usd }) => {
    const { keyId, model, serviceTier } = first;
    const kind = USAGE_TYPES[unit];
    const tier = serviceTier === null || serviceTier === 'default' ? '' : `-${serviceTier}`;
    return {
      bill_payer_account_id: AWS_ACCOUNT,
      line_item_line_item_type: 'Usage',
      line_item_product_code: 'AmazonBedrock',
      line_item_usage_account_id: AWS_ACCOUNT,
      line_item_usage_start_date: new Date(startMs).toISOString(),
      line_item_usage_end_date: new Date(startMs + HOUR_MS).toISOString(),
      line_item_usage_type: `${AWS_REGION}-${model.replace(/[.:]/g, '')}-${kind ?? unit}${tier}`,
      line_item_operation: 'InvokeModelInference',
      line_item_resource_id: `arn:aws:bedrock:us-east-1::foundation-model/${model}`,
      line_item_iam_principal: keyId ?? '',
      line_item_usage_amount: kind === undefined ? String(count) : thousandths(count),
      line_item_unblended_cost: usd,
      line_item_currency_code: 'USD',
      line_item_line_item_description: '',
      pricing_unit: kind === undefined ? unit : '1K tokens',
    };
  });
}

/** Returns the same rows in Parquet, with doubles for numbers and timestamps for times as AWS has them. */
export async function costAndUsageParquet(
  ledger: BillLedger,
  fromMs?: number,
  toMs?: number,
): Promise<Uint8Array> {
  const rows = costAndUsageRows(ledger, fromMs, toMs);
  const columns = COST_AND_USAGE_COLUMNS.map((name) => {
    if (DOUBLE_COLUMNS.has(name)) return { name, type: 'DOUBLE' as const };
    return { name, type: TIME_COLUMNS.has(name) ? ('TIMESTAMP' as const) : ('STRING' as const) };
  });
  const converted = rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, text]) => {
        if (DOUBLE_COLUMNS.has(name)) return [name, Number(text)];
        return [name, TIME_COLUMNS.has(name) ? new Date(text) : text];
      }),
    ),
  );
  const writer = new ByteWriter();
  await parquetWriteRows({ writer, rows: converted, columns });
  return writer.getBytes();
}

export const COST_AND_USAGE_COLUMNS = [
  ...[
    'bill_payer_account_id',
    'line_item_line_item_type',
    'line_item_product_code',
    'line_item_usage_account_id',
  ],
  ...[
    'line_item_usage_start_date',
    'line_item_usage_end_date',
    'line_item_usage_type',
    'line_item_operation',
  ],
  ...[
    'line_item_resource_id',
    'line_item_iam_principal',
    'line_item_usage_amount',
    'line_item_unblended_cost',
  ],
  ...['line_item_currency_code', 'line_item_line_item_description', 'pricing_unit'],
];

export const BILLING_EXPORT_COLUMNS = [
  ...['billing_account_id', 'service.description', 'sku.description', 'usage_start_time', 'usage_end_time'],
  ...['project.id', 'cost', 'currency', 'usage.amount', 'usage.unit', 'credits', 'cost_type'],
];

/** Returns the rows of a flattened billing export of Google Cloud, one per hour, model and unit. */
export function billingExportRows(
  ledger: BillLedger,
  fromMs?: number,
  toMs?: number,
): Record<string, string>[] {
  const time = (timeMs: number) => new Date(timeMs).toISOString().replace('T', ' ').replace('.000Z', ' UTC');
  return hoursOf(ledger.billed('google', fromMs, toMs)).map(({ count, first, startMs, unit, usd }) => {
    const tier = first.serviceTier === null ? '' : ` ${first.serviceTier}`;
    return {
      billing_account_id: '000000-111111-222222',
      'service.description': 'Vertex AI',
      'sku.description': `${skuName(first.model)} ${SKUS[unit] ?? unit}${tier}`,
      usage_start_time: time(startMs),
      usage_end_time: time(startMs + HOUR_MS),
      'project.id': PROJECT,
      cost: usd,
      currency: 'USD',
      'usage.amount': String(count),
      'usage.unit': 'count',
      credits: '[]',
      cost_type: 'regular',
    };
  });
}

/** Returns "Gemini Pro" for `sim-gemini-pro`, as Google writes it. */
function skuName(model: string): string {
  const words = model.replace(/^sim-/, '').split('-');
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(' ');
}

function thousandths(count: number): string {
  const text = String(count).padStart(4, '0');
  return `${text.slice(0, -3)}.${text.slice(-3)}`;
}

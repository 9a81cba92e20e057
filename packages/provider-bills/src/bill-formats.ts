import { UNITS } from '@model-gateway/shared';
import { anthropicConsoleCostLines, anthropicCostLines } from './anthropic/cost-lines.ts';
import { anthropicConsoleUsageLines, anthropicUsageLines } from './anthropic/usage-lines.ts';
import { CUR_COLUMNS, costAndUsageLines } from './aws/cost-and-usage-lines.ts';
import type { BillLine } from './bill-line.ts';
import { billingExportLines } from './google/billing-export-lines.ts';
import { openAiCostLines } from './openai/cost-lines.ts';
import { openAiUsageLines } from './openai/usage-lines.ts';
import { requestLines } from './requests/request-lines.ts';
import type { Row } from './row.ts';

export interface BillFormat {
  /** The name in messages. */
  name: string;
  /** Null: any provider. */
  provider: 'openai' | 'anthropic' | 'bedrock' | 'google' | null;
  /** The amounts of its lines: units, money or both. */
  has: 'usage' | 'cost' | 'both';
  /** A file has this format if it has all columns of one of these lists. */
  columns: readonly (readonly string[])[];
  lines(row: Row): BillLine[];
}

const OPENAI_COUNTS = [
  'input_tokens',
  'images',
  'characters',
  'seconds',
  'num_requests',
  'num_sessions',
  'usage_bytes',
];

/** All formats, the most specific first. */
export const BILL_FORMATS: readonly BillFormat[] = [
  {
    name: 'requests (CSV with time, request_id, model and units)',
    provider: null,
    has: 'both',
    columns: UNITS.map(({ json }) => ['time', 'request_id', 'model', json]),
    lines: requestLines,
  },
  {
    name: 'OpenAI costs (JSON of /v1/organization/costs, or CSV)',
    provider: 'openai',
    has: 'cost',
    columns: [['start_time', 'amount_value']],
    lines: openAiCostLines,
  },
  {
    name: 'OpenAI usage (JSON of /v1/organization/usage/…, or CSV)',
    provider: 'openai',
    has: 'usage',
    columns: OPENAI_COUNTS.map((column) => ['start_time', column]),
    lines: openAiUsageLines,
  },
  {
    name: 'Anthropic usage report (JSON of /v1/organizations/usage_report/messages)',
    provider: 'anthropic',
    has: 'usage',
    columns: [['starting_at', 'uncached_input_tokens', 'output_tokens']],
    lines: anthropicUsageLines,
  },
  {
    name: 'Anthropic cost report (JSON of /v1/organizations/cost_report)',
    provider: 'anthropic',
    has: 'cost',
    columns: [['starting_at', 'amount', 'currency']],
    lines: anthropicCostLines,
  },
  {
    name: 'Anthropic usage (CSV of the console)',
    provider: 'anthropic',
    has: 'usage',
    columns: [['usage_date_utc', 'model_version', 'usage_input_tokens_no_cache']],
    lines: anthropicConsoleUsageLines,
  },
  {
    name: 'Anthropic costs (CSV of the console)',
    provider: 'anthropic',
    has: 'cost',
    columns: [['usage_date_utc', 'token_type', 'cost_usd']],
    lines: anthropicConsoleCostLines,
  },
  {
    name: 'AWS Cost and Usage Report 2.0 (CSV, also .gz, or Parquet)',
    provider: 'bedrock',
    has: 'both',
    columns: [CUR_COLUMNS],
    lines: costAndUsageLines,
  },
  {
    name: 'Google Cloud billing export (CSV)',
    provider: 'google',
    has: 'both',
    columns: [['service_description', 'sku_description', 'usage_start_time', 'usage_amount', 'cost']],
    lines: billingExportLines,
  },
];

/** Finds the format of a row by its columns. */
export function findFormat(has: (column: string) => boolean): BillFormat | undefined {
  return BILL_FORMATS.find(({ columns }) => columns.some((names) => names.every(has)));
}

import { type FetchBillOptions, fetchPages } from '../fetch-pages.ts';
import type { BillPart } from '../read-bill.ts';

const BASE_URL = 'https://api.anthropic.com/v1';
const VERSION = '2023-06-01';
/** Maximum of days per page, in both reports. */
const MAX_DAYS = '31';
const USAGE_GROUPS = ['model', 'api_key_id', 'workspace_id', 'service_tier'];
/** Grouping by description adds the model, the token type and the tier. Costs have no API key. */
const COST_GROUPS = ['workspace_id', 'description'];

/**
 * Fetches the usage and the costs of an Anthropic organization, by day, model, workspace and tier; usage also
 * by API key.
 * @throws BillError
 */
export async function* fetchAnthropicBill({
  adminKey,
  baseUrl = BASE_URL,
  fromMs,
  signal,
  toMs,
}: FetchBillOptions): AsyncGenerator<BillPart> {
  const shared = [
    ['starting_at', isoTime(fromMs)],
    ['ending_at', isoTime(toMs)],
    ['bucket_width', '1d'],
    ['limit', MAX_DAYS],
  ] as const;
  const headers = { 'x-api-key': adminKey, 'anthropic-version': VERSION };
  const pages = (path: string, groups: readonly string[]) => {
    const query = [...shared, ...groups.map((name) => ['group_by[]', name] as const)];
    return fetchPages({ url: `${baseUrl}/organizations/${path}`, query, headers, signal });
  };
  yield* pages('usage_report/messages', USAGE_GROUPS);
  yield* pages('cost_report', COST_GROUPS);
}

/** Formats a time without milliseconds, as in Anthropic's examples. */
function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d+Z$/, 'Z');
}

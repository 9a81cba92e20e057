import { type FetchBillOptions, fetchPages } from '../fetch-pages.ts';
import type { BillPart } from '../read-bill.ts';

const BASE_URL = 'https://api.openai.com/v1';
/** Maximum of days per page. */
const MAX_USAGE_DAYS = '31';
const MAX_COST_DAYS = '180';
const SHARED_GROUPS = ['project_id', 'api_key_id'];
/** Members by which each report can be grouped. */
const REPORTS: Readonly<Record<string, readonly string[]>> = {
  completions: [...SHARED_GROUPS, 'model', 'batch', 'service_tier'],
  embeddings: [...SHARED_GROUPS, 'model'],
  images: [...SHARED_GROUPS, 'model'],
  audio_speeches: [...SHARED_GROUPS, 'model'],
  audio_transcriptions: [...SHARED_GROUPS, 'model'],
  web_search_calls: [...SHARED_GROUPS, 'model'],
};

/**
 * Fetches the usage and the costs of an OpenAI organization, by day, model, API key, project and tier.
 * @throws BillError
 */
export async function* fetchOpenAiBill({
  adminKey,
  baseUrl = BASE_URL,
  fromMs,
  signal,
  toMs,
}: FetchBillOptions): AsyncGenerator<BillPart> {
  const shared = [
    ['start_time', String(Math.floor(fromMs / 1_000))],
    ['end_time', String(Math.ceil(toMs / 1_000))],
    ['bucket_width', '1d'],
  ] as const;
  const headers = { authorization: `Bearer ${adminKey}` };
  const pages = (path: string, limit: string, groups: readonly string[]) => {
    const query = [
      ...shared,
      ['limit', limit] as const,
      ...groups.map((name) => ['group_by', name] as const),
    ];
    return fetchPages({ url: `${baseUrl}/organization/${path}`, query, headers, signal });
  };
  for (const [report, groups] of Object.entries(REPORTS))
    yield* pages(`usage/${report}`, MAX_USAGE_DAYS, groups);
  yield* pages('costs', MAX_COST_DAYS, [...SHARED_GROUPS, 'line_item']);
}

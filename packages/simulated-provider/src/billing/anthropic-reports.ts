import { type BillLedger, costOf, groupRequests, type PricedRequest, sumOf } from './bill-ledger.ts';
import { formatFemto } from './price-table.ts';
import type { ServedUnit } from './served-work.ts';
import { type Bucket, bucketPage } from './usage-pages.ts';

const DEFAULT_DAYS = 7;
const CENTS = 2;
const GROUPS: Readonly<Record<string, (request: PricedRequest) => string | null>> = {
  api_key_id: ({ keyId }) => keyId && `api${keyId}`,
  workspace_id: () => null,
  model: ({ model }) => model,
  service_tier: ({ serviceTier }) => serviceTier,
};
const TOKEN_TYPES: Partial<Record<ServedUnit, string>> = {
  input: 'uncached_input_tokens',
  cachedInput: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation.ephemeral_5m_input_tokens',
  cacheWrite1h: 'cache_creation.ephemeral_1h_input_tokens',
  output: 'output_tokens',
};

/** GET /v1/organizations/usage_report/messages */
export function anthropicUsage(ledger: BillLedger, query: URLSearchParams): object {
  const groups = query.getAll('group_by[]');
  return pageOf(query, ({ endMs, startMs }) =>
    groupRequests(ledger.billed('anthropic', startMs, endMs), keyBy(groups)).map((group) => ({
      uncached_input_tokens: sumOf(group, 'input'),
      cache_creation: {
        ephemeral_1h_input_tokens: sumOf(group, 'cacheWrite1h'),
        ephemeral_5m_input_tokens: sumOf(group, 'cacheWrite'),
      },
      cache_read_input_tokens: sumOf(group, 'cachedInput'),
      output_tokens: sumOf(group, 'output'),
      server_tool_use: { web_search_requests: sumOf(group, 'webSearches') },
      context_window: null,
      ...membersOf(group, groups),
    })),
  );
}

/** GET /v1/organizations/cost_report: by description each token type of a model, else one sum */
export function anthropicCosts(ledger: BillLedger, query: URLSearchParams): object {
  const byDescription = query.getAll('group_by[]').includes('description');
  return pageOf(query, ({ endMs, startMs }) => {
    const requests = ledger.billed('anthropic', startMs, endMs);
    const groups = byDescription ? ['model', 'service_tier'] : [];
    return groupRequests(requests, keyBy(groups)).flatMap((group): object[] => {
      const units = [...new Set(group.flatMap(({ costs }) => [...costs.keys()]))];
      const shared = { currency: 'USD', workspace_id: null, context_window: null };
      if (!byDescription) {
        const sum = units.reduce((total, unit) => total + costOf(group, unit), 0n);
        return [{ ...shared, amount: formatFemto(sum, CENTS), ...membersOf(group, []), ...NO_DESCRIPTION }];
      }
      return units.map((unit) => {
        const token_type = TOKEN_TYPES[unit] ?? null;
        const { model, service_tier } = membersOf(group, groups);
        const isTokens = token_type !== null;
        return {
          ...shared,
          amount: formatFemto(costOf(group, unit), CENTS),
          cost_type: isTokens ? 'tokens' : 'web_search',
          token_type,
          model: isTokens ? model : null,
          service_tier: isTokens ? service_tier : null,
          description: isTokens ? `${model} Usage - ${token_type}` : 'Web Search Usage',
        };
      });
    });
  });
}

const NO_DESCRIPTION = { cost_type: null, token_type: null, description: null };

function pageOf(query: URLSearchParams, resultsOf: (bucket: Bucket) => object[]): object {
  const endingAt = query.get('ending_at');
  const { buckets, nextPage } = bucketPage({
    startMs: Date.parse(query.get('starting_at') ?? ''),
    endMs: endingAt === null ? Date.now() : Date.parse(endingAt),
    width: query.get('bucket_width') ?? '1d',
    limit: Number(query.get('limit') ?? DEFAULT_DAYS),
    cursor: query.get('page'),
  });
  return {
    data: buckets.map((bucket) => ({
      starting_at: isoTime(bucket.startMs),
      ending_at: isoTime(bucket.endMs),
      results: resultsOf(bucket),
    })),
    has_more: nextPage !== null,
    next_page: nextPage,
  };
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('.000Z', 'Z');
}

function keyBy(groups: readonly string[]): (request: PricedRequest) => string {
  return (request) => JSON.stringify(groups.map((name) => GROUPS[name]?.(request)));
}

/** Returns the members of a group. Those that results are not grouped by are null. */
function membersOf([first]: PricedRequest[], groups: readonly string[]): Record<string, string | null> {
  const entries = Object.entries(GROUPS).map(([name, read]) => [
    name,
    first !== undefined && groups.includes(name) ? read(first) : null,
  ]);
  return Object.fromEntries(entries);
}

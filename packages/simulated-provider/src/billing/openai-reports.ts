import { type BillLedger, costOf, groupRequests, type PricedRequest, sumOf } from './bill-ledger.ts';
import { formatFemto } from './price-table.ts';
import type { ServedUnit } from './served-work.ts';
import { type Bucket, bucketPage } from './usage-pages.ts';

const PROJECT = 'proj_simulated';
const SECOND_MS = 1_000;
const DEFAULT_DAYS = 7;

type Kind =
  | 'completions'
  | 'embeddings'
  | 'images'
  | 'audio_speeches'
  | 'audio_transcriptions'
  | 'web_search_calls';

/** The members of each report's results, and which requests it is about. */
const KINDS: Readonly<
  Record<Kind, { isAbout(request: PricedRequest): boolean; counts(requests: PricedRequest[]): object }>
> = {
  completions: {
    isAbout: ({ units }) => units.output !== undefined && units.images === undefined,
    counts: (requests) => {
      const [input, cached, write] = [
        sumOf(requests, 'input'),
        sumOf(requests, 'cachedInput'),
        sumOf(requests, 'cacheWrite'),
      ];
      const output = sumOf(requests, 'output');
      return {
        input_tokens: input + cached + write,
        input_cached_tokens: cached,
        input_cache_write_tokens: write,
        input_uncached_tokens: input,
        input_text_tokens: input,
        input_audio_tokens: 0,
        input_image_tokens: 0,
        output_tokens: output,
        output_text_tokens: output,
        output_audio_tokens: 0,
        output_image_tokens: 0,
      };
    },
  },
  embeddings: {
    isAbout: ({ units }) => units.input !== undefined && units.output === undefined,
    counts: (requests) => ({ input_tokens: sumOf(requests, 'input') }),
  },
  images: {
    isAbout: ({ units }) => units.images !== undefined,
    counts: (requests) => ({ images: sumOf(requests, 'images') }),
  },
  audio_speeches: {
    isAbout: ({ units }) => units.characters !== undefined,
    counts: (requests) => ({ characters: sumOf(requests, 'characters') }),
  },
  audio_transcriptions: {
    isAbout: ({ units }) => units.audioMs !== undefined,
    counts: (requests) => ({ seconds: Math.round(sumOf(requests, 'audioMs') / SECOND_MS) }),
  },
  web_search_calls: {
    isAbout: ({ units }) => (units.webSearches ?? 0) > 0,
    counts: (requests) => ({ num_requests: sumOf(requests, 'webSearches') }),
  },
};

/** Members by which results can be grouped. */
const GROUPS: Readonly<Record<string, (request: PricedRequest) => string | boolean | null>> = {
  project_id: () => PROJECT,
  api_key_id: ({ keyId }) => keyId,
  model: ({ model }) => model,
  batch: () => false,
  service_tier: ({ serviceTier }) => serviceTier,
};

/** The words of a line item after the model. */
const LINE_ITEMS: Partial<Record<ServedUnit, string>> = {
  input: 'input',
  cachedInput: 'cached input',
  cacheWrite: 'cache write',
  output: 'output',
  images: 'images',
  characters: 'characters',
};

/** GET /v1/organization/usage/{kind}; undefined if there is no such report. */
export function openAiUsage(ledger: BillLedger, kind: string, query: URLSearchParams): object | undefined {
  const report = Object.entries(KINDS).find(([name]) => name === kind)?.[1];
  if (report === undefined) return undefined;
  const groups = groupsIn(query);
  return pageOf(query, ({ endMs, startMs }) => {
    const requests = ledger.billed('openai', startMs, endMs).filter(report.isAbout);
    return groupRequests(requests, keyBy(groups)).map((group) => ({
      object: `organization.usage.${kind}.result`,
      ...report.counts(group),
      num_model_requests: group.length,
      ...membersOf(group, Object.keys(GROUPS), groups),
    }));
  });
}

/** GET /v1/organization/costs, by line item or as a whole */
export function openAiCosts(ledger: BillLedger, query: URLSearchParams): object {
  const groups = groupsIn(query);
  const byItem = groups.includes('line_item');
  const ids = groups.filter((name) => name === 'project_id' || name === 'api_key_id');
  return pageOf(query, ({ endMs, startMs }) => {
    const requests = ledger.billed('openai', startMs, endMs);
    const byModel = byItem ? [...ids, 'model', 'service_tier'] : ids;
    return groupRequests(requests, keyBy(byModel)).flatMap((group) => {
      const members = membersOf(group, ['project_id', 'api_key_id'], ids);
      const result = (femto: bigint, line_item: string | null, quantity: number | null) => ({
        object: 'organization.costs.result',
        amount: { value: Number(formatFemto(femto)), currency: 'usd' },
        line_item,
        quantity,
        quantity_unit: quantity === null ? null : 'tokens',
        ...members,
      });
      const units = [...new Set(group.flatMap(({ costs }) => [...costs.keys()]))];
      if (!byItem)
        return [
          result(
            units.reduce((sum, unit) => sum + costOf(group, unit), 0n),
            null,
            null,
          ),
        ];
      return units.map((unit) => {
        const words = LINE_ITEMS[unit];
        const name = words === undefined ? unit : `${group[0]?.model}, ${tierWord(group[0])}${words}`;
        return result(costOf(group, unit), name, words === undefined ? null : sumOf(group, unit));
      });
    });
  });
}

function tierWord(request: PricedRequest | undefined): string {
  const tier = request?.serviceTier;
  return tier === 'flex' || tier === 'priority' ? `${tier} ` : '';
}

function pageOf(query: URLSearchParams, resultsOf: (bucket: Bucket) => object[]): object {
  const seconds = (name: string) => query.get(name) ?? undefined;
  const { buckets, nextPage } = bucketPage({
    startMs: Number(seconds('start_time') ?? Number.NaN) * SECOND_MS,
    endMs: seconds('end_time') === undefined ? Date.now() : Number(seconds('end_time')) * SECOND_MS,
    width: query.get('bucket_width') ?? '1d',
    limit: Number(query.get('limit') ?? DEFAULT_DAYS),
    cursor: query.get('page'),
  });
  return {
    object: 'page',
    data: buckets.map((bucket) => ({
      object: 'bucket',
      start_time: bucket.startMs / SECOND_MS,
      end_time: bucket.endMs / SECOND_MS,
      results: resultsOf(bucket),
    })),
    has_more: nextPage !== null,
    next_page: nextPage,
  };
}

function groupsIn(query: URLSearchParams): string[] {
  return [...query.getAll('group_by'), ...query.getAll('group_by[]')];
}

function keyBy(groups: readonly string[]): (request: PricedRequest) => string {
  return (request) => JSON.stringify(groups.map((name) => GROUPS[name]?.(request)));
}

/** Returns the members of a group. Those that results are not grouped by are null. */
function membersOf([first]: PricedRequest[], names: readonly string[], groups: readonly string[]): object {
  const entries = names.map((name) => [
    name,
    first !== undefined && groups.includes(name) ? (GROUPS[name]?.(first) ?? null) : null,
  ]);
  return Object.fromEntries(entries);
}

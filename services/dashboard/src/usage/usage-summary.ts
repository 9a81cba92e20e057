import type { UsageResponse } from '../../wire/usage.ts';
import type { HolderClient } from '../control-plane/holder-client.ts';
import type { CsvRow } from '../http/send-csv.ts';
import { readUsage, readWhole, type UsageFilter } from './read-usage.ts';
import { toUsageResponse } from './usage-response.ts';
import { toUsageRows } from './usage-rows.ts';

type Holder = Pick<HolderClient, 'getHolderUsage'>;

/** Reads the usage of a period for the site. The control plane does the sums by model and by key. */
export async function readUsageSummary(holder: Holder, question: UsageFilter): Promise<UsageResponse> {
  const [pages, byModel, byKey] = await Promise.all([
    // These are no more rows than the period has buckets.
    Array.fromAsync(readUsage(holder, { ...question, groupBy: [] })),
    readWhole(holder, question, 'model'),
    question.groupBy.includes('key') ? readWhole(holder, question, 'key') : undefined,
  ]);
  return toUsageResponse(pages, byModel, byKey);
}

/** Reads the usage of a period as CSV rows, page by page. */
export async function* readUsageRows(holder: Holder, question: UsageFilter): AsyncGenerator<CsvRow> {
  for await (const page of readUsage(holder, question)) yield* toUsageRows(page, question.width);
}

import type { UsageAnswer } from '../../wire/usage.ts';
import type { HolderClient } from '../control-plane/holder-client.ts';
import type { CsvRow } from '../http/send-csv.ts';
import { readUsage, readWhole, type UsageQuestion } from './read-usage.ts';
import { usageAnswer } from './usage-answer.ts';
import { usageRows } from './usage-rows.ts';

type Holder = Pick<HolderClient, 'getHolderUsage'>;

/** Reads the usage of a period for the site. The control plane does the sums by model and by key. */
export async function namedUsage(holder: Holder, question: UsageQuestion): Promise<UsageAnswer> {
  const [pages, byModel, byKey] = await Promise.all([
    // These are no more rows than the period has buckets.
    Array.fromAsync(readUsage(holder, { ...question, groupBy: [] })),
    readWhole(holder, question, 'model'),
    question.groupBy.includes('key') ? readWhole(holder, question, 'key') : undefined,
  ]);
  return usageAnswer(pages, byModel, byKey);
}

/** Reads the usage of a period as CSV rows, page by page. */
export async function* namedUsageRows(holder: Holder, question: UsageQuestion): AsyncGenerator<CsvRow> {
  for await (const page of readUsage(holder, question)) yield* usageRows(page, question.width);
}

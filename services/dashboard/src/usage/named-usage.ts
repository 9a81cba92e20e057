import type { UsageAnswer } from '../../wire/usage.ts';
import type { HolderClient } from '../control-plane/holder-client.ts';
import type { CsvRow } from '../http/send-csv.ts';
import { readUsage, readWhole, type UsageQuestion } from './read-usage.ts';
import { usageAnswer } from './usage-answer.ts';
import { usageRows } from './usage-rows.ts';

type Holder = Pick<HolderClient, 'getHolderUsage'>;

/** The usage of a period, as the site shows it. Its parts are summed up where the roll-ups are. */
export async function namedUsage(holder: Holder, question: UsageQuestion): Promise<UsageAnswer> {
  const [pages, byModel, byKey] = await Promise.all([
    // These are no more rows than the period has buckets.
    Array.fromAsync(readUsage(holder, { ...question, groupBy: [] })),
    readWhole(holder, question, 'model'),
    question.groupBy.includes('key') ? readWhole(holder, question, 'key') : undefined,
  ]);
  return usageAnswer(pages, byModel, byKey);
}

/** The usage of a period as rows of a file, page by page. */
export async function* namedUsageRows(holder: Holder, question: UsageQuestion): AsyncGenerator<CsvRow> {
  for await (const page of readUsage(holder, question)) yield* usageRows(page, question.width);
}

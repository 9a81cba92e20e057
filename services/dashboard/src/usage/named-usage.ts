import type { UsageAnswer } from '../../wire/usage.ts';
import type { HolderClient } from '../control-plane/holder-client.ts';
import type { CsvRow } from '../http/send-csv.ts';
import { type KeyName, keyNames } from '../keys/key-names.ts';
import { readUsage, type UsageQuestion } from './read-usage.ts';
import { usageAnswer } from './usage-answer.ts';
import { usageRows } from './usage-rows.ts';

type Holder = Pick<HolderClient, 'getHolderUsage' | 'listHolderKeys'>;

/** All of a period, as the site shows it. */
export async function namedUsage(holder: Holder, question: UsageQuestion): Promise<UsageAnswer> {
  const pages = await Array.fromAsync(readUsage(holder, question));
  return usageAnswer(pages, await namesFor(holder, question));
}

/** All of a period as rows of a file, page by page. */
export async function* namedUsageRows(holder: Holder, question: UsageQuestion): AsyncGenerator<CsvRow> {
  for await (const page of readUsage(holder, question)) {
    yield* usageRows(page, question.width, await namesFor(holder, question));
  }
}

/** To be read after the usage: only then are all keys that are in it among them, those made a moment ago, too. */
async function namesFor(
  holder: Holder,
  { accountId, groupBy }: UsageQuestion,
): Promise<((keyId: string) => KeyName) | undefined> {
  return groupBy.includes('key') ? keyNames(await holder.listHolderKeys({ accountId })) : undefined;
}

import type { Command } from 'commander';
import { morePagesNote } from '../../output/more-pages.ts';
import { receiptSummaryJson, receiptSummaryTable } from '../../output/receipt-summary.ts';
import { addPageOptions, type PageOptions, readPage } from '../../page-options.ts';
import { parseTime } from '../../parse-time.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

const PAGE_LENGTH = 50;

interface Options extends PageOptions {
  account?: string;
  key?: string;
  model?: string;
  status?: string;
  /** Unix seconds. */
  since?: number;
  until?: number;
}

export function addReceiptsList(receipts: Command, run: RunCommand): void {
  const list: Command = receipts.command('list');
  addPageOptions(
    list
      .description('list the requests of an account or a key, newest first')
      .argument('[ACCOUNT]', 'the same as --account')
      .option('--account <account>', 'of an account: its id or e-mail address (one of the two is required)')
      .option('--key <key_id>', 'of a key')
      .option('--model <model_id>', 'only those to this model')
      .option(
        '--status <status>',
        'only those answered with this status, such as 502 or 5xx, or that ended so: ' +
          'completed, aborted_partial, upstream_failed_free or estimated',
      )
      .option('--since <time>', 'date or Unix seconds (the first there is)', parseTime)
      .option('--until <time>', 'date or Unix seconds; requests before this moment (now)', parseTime),
    { limit: String(PAGE_LENGTH), place: 'the id of the last request of the page before' },
  ).action((argument: string | undefined, options: Options) => {
    const request = requestOf(list, argument, options);
    return run(async (client) => {
      const { rows, nextPageToken } = await readPage(
        { limit: options.limit ?? PAGE_LENGTH, page: options.page },
        (after) => ({ after }),
        async (place) => {
          const answer = await client.call(CALL_DEADLINE_MS, 'billing', 'listReceipts', {
            ...request,
            ...place,
          });
          return { rows: answer.receipts.map(receiptSummaryJson), nextPageToken: answer.nextPageToken };
        },
      );
      return {
        json: rows,
        text: receiptSummaryTable(rows),
        ...(nextPageToken === undefined ? {} : morePagesNote(rows.at(-1)?.request_id)),
      };
    });
  });
}

/** @throws CommanderError when neither an account nor a key is named, or when the period is empty */
function requestOf(list: Command, argument: string | undefined, options: Options) {
  const { account: option, key, model, status, since, until } = options;
  if (argument !== undefined && option !== undefined) list.error('error: name the account once');
  const account = argument ?? option;
  if (account === undefined && key === undefined) list.error('error: name one of --account and --key');
  if (since !== undefined && until !== undefined && since >= until) {
    list.error('error: --since must be before --until');
  }
  return {
    ...(account === undefined ? {} : { account }),
    ...(key === undefined ? {} : { keyId: key }),
    ...(model === undefined ? {} : { modelId: model }),
    ...(status === undefined ? {} : { status }),
    ...(since === undefined ? {} : { startMs: since * 1_000 }),
    ...(until === undefined ? {} : { endMs: until * 1_000 }),
  };
}

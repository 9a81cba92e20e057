import type { Command } from 'commander';
import { addLabelOptions, type LabelOptions, labelFilters } from '../label-options.ts';
import { morePagesNote } from '../output/more-pages-note.ts';
import { receiptSummaryJson, receiptSummaryTable } from '../output/receipt-summary-table.ts';
import { receiptJson, receiptText } from '../output/receipt-text.ts';
import { addPageOptions, type PageOptions, readPage } from '../page-options.ts';
import { parseTime } from '../parse-time.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';
import { namesOf } from './names-of.ts';

const PAGE_LENGTH = 50;

export function addReceipts(program: Command, run: RunCommand): void {
  const receipts = program.command('receipts').description('show what each request used and cost');
  addReceiptsList(receipts, run);
  addReceiptsShow(receipts, run);
}

interface ListOptions extends PageOptions, LabelOptions {
  all: boolean;
  account?: string;
  key?: string;
  model?: string;
  status?: string;
  /** Unix seconds. */
  since?: number;
  until?: number;
}

function addReceiptsList(receipts: Command, run: RunCommand): void {
  const list: Command = receipts.command('list');
  addPageOptions(
    addLabelOptions(list)
      .description('list the requests of an account, of a key or of all accounts, newest first')
      .argument('[ACCOUNT]', 'the same as --account')
      .option('--account <account>', 'requests of this account: id or e-mail address')
      .option('--key <key_id>', 'requests of this key')
      .option('--all', 'requests of all accounts (an account, a key or this is required)', false)
      .option('--model <model_id>', 'only requests to this model')
      .option(
        '--status <status>',
        'only requests with this HTTP status, such as 502 or 5xx, or with this ending: ' +
          'completed, aborted_partial, upstream_failed_free, estimated or cache_hit',
      )
      .option('--since <time>', 'date or Unix seconds (the first request)', parseTime)
      .option('--until <time>', 'date or Unix seconds; requests before this time (now)', parseTime),
    { limit: String(PAGE_LENGTH), place: 'the id of the last request on the previous page' },
  ).action((argument: string | undefined, options: ListOptions) => {
    const request = listRequest(list, argument, options);
    return run(async (client) => {
      const { rows, nextPageToken } = await readPage(
        { limit: options.limit ?? PAGE_LENGTH, page: options.page },
        (after) => ({ after }),
        async (place) => {
          const { receipts, nextPageToken } = await client.call(CALL_DEADLINE_MS, 'billing', 'listReceipts', {
            ...request,
            ...place,
          });
          return { rows: receipts.map(receiptSummaryJson), nextPageToken };
        },
      );
      const nextPage = nextPageToken === undefined ? undefined : rows.at(-1)?.request_id;
      return { json: rows, text: receiptSummaryTable(rows), note: morePagesNote(nextPage) };
    });
  });
}

/** @throws CommanderError when not exactly an account, a key or all are named, or when the period is empty */
function listRequest(list: Command, argument: string | undefined, options: ListOptions) {
  const { account: option, all, key, model, status, since, until } = options;
  if (argument !== undefined && option !== undefined)
    list.error('error: name the account once, as ACCOUNT or with --account');
  const account = argument ?? option;
  if (all === (account !== undefined || key !== undefined))
    list.error('error: name an account or a key, with --account or --key, or all accounts with --all');
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
    labels: labelFilters(options),
  };
}

function addReceiptsShow(receipts: Command, run: RunCommand): void {
  receipts
    .command('show')
    .description('show what a request consumed, what it cost, and who paid')
    .argument('<REQUEST_ID>', 'the x-request-id header of its response')
    .action((requestId: string) =>
      run(async (client) => {
        const receipt = receiptJson(
          await client.call(CALL_DEADLINE_MS, 'billing', 'getReceipt', { requestId }),
        );
        const { account_id, seat_id, team_id, key_id } = receipt;
        return {
          json: receipt,
          text: async () =>
            receiptText(receipt, await namesOf(client, [account_id, seat_id, team_id, key_id])),
        };
      }),
    );
}

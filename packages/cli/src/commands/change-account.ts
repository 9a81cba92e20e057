import type { Command } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { addCalendarOptions, type CalendarOptions } from '../calendar-options.ts';
import { accountJson } from '../output/account-table.ts';
import { confirmedResult } from '../output/unconfirmed-note.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

interface ChangeOptions extends CalendarOptions {
  account?: string;
  priceList?: string;
}

export function addAccountsChange(accounts: Command, run: RunCommand): void {
  const unchanged = { timezone: 'unchanged', day: 'unchanged' };
  const change: Command = addCalendarOptions(addAccountArgument(accounts.command('change')), unchanged)
    .description('change the calendar of the budgets of an account, or its price list')
    .option('--price-list <id>', 'id as in `price-lists list`; none: the default one (unchanged)');
  onAccount(change, (account, { account: _, priceList, ...calendar }: ChangeOptions) => {
    if (priceList === undefined && Object.keys(calendar).length === 0)
      change.error('error: name --timezone, --week-starts or --price-list');
    return run(async (client) => {
      const request = {
        ...{ account, ...calendar },
        ...(priceList !== undefined && { priceListId: priceList === 'none' ? '' : priceList }),
      };
      const answer = await client.call(CALL_DEADLINE_MS, 'accounts', 'changeAccount', request);
      const changed = accountJson(answer.account);
      return confirmedResult({
        json: changed,
        text:
          `${changed.id} changed: ${changed.timezone}, weeks start on ${changed.week_starts}, ` +
          `price list ${changed.price_list_id ?? 'by default'}`,
        unconfirmed: answer.unconfirmedInstances,
        may: 'use the old settings',
      });
    });
  });
}

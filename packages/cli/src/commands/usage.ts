import { type Command, Option } from 'commander';
import { addPageOptions, type PageOptions } from '../page-options.ts';
import { parseTime } from '../parse-time.ts';
import type { RunCommand } from '../run-command.ts';
import { accountUsage } from './account-usage.ts';
import { GROUPINGS, type Grouping, TOTAL_PAGE_LENGTH, totalUsage } from './total-usage.ts';

interface Options extends PageOptions {
  account?: string;
  all?: boolean;
  team?: string;
  by?: Grouping;
  /** Unix seconds. */
  since?: number;
  until?: number;
}

export function addUsage(program: Command, run: RunCommand): void {
  const usage: Command = program.command('usage');
  addPageOptions(
    usage
      .description(
        'show the usage of an account outside team seats, and its pools; ' +
          'with --all, --team or --by, show one row per account, team, seat, key or model, ' +
          'the most expensive first',
      )
      .argument('[ACCOUNT]', 'the same as --account')
      .option('--account <account>', 'id or e-mail address (or --team, or --all: one is required)')
      .option('--all', 'all accounts together')
      .option('--team <team_id>', 'all seats of a team')
      .addOption(
        new Option('--by <what>', 'what a row sums up (account; for a team: seat)').choices(GROUPINGS),
      )
      .option('--since <time>', 'date or Unix seconds (beginning of the month, UTC)', parseTime)
      .option('--until <time>', 'date or Unix seconds; requests before this time (now)', parseTime),
    {
      limit: `${TOTAL_PAGE_LENGTH}, with --all, --team or --by`,
      place: 'the value that the previous page printed',
    },
  ).action((argument: string | undefined, options: Options) => {
    const { account, team, all = false } = ownerOf(usage, argument, options);
    const { since, until, by, limit, page } = options;
    const endTime = until ?? Math.floor(Date.now() / 1_000) + 1;
    const startTime = since ?? beginningOfMonth(endTime);
    if (startTime >= endTime) usage.error('error: --since must be before --until (now, unless given)');
    const isTotal = all || team !== undefined || by !== undefined;
    if (account !== undefined && !isTotal) {
      if (limit !== undefined || page !== undefined) {
        usage.error('error: --limit and --page need --all, --team or --by');
      }
      return run((client) => accountUsage(client, { account, startTime, endTime }));
    }
    const query = { account, team, by: by ?? (team === undefined ? 'account' : 'seat'), limit, page };
    return run((client) => totalUsage(client, { ...query, startTime, endTime }));
  });
}

/** @throws CommanderError unless exactly one of account, team and all is given */
function ownerOf(
  usage: Command,
  argument: string | undefined,
  { account: option, team, all }: Options,
): Pick<Options, 'account' | 'team' | 'all'> {
  const given = [argument, option, team, all].filter((each) => each !== undefined);
  if (given.length !== 1) usage.error('error: name one of --account, --team and --all');
  const account = argument ?? option;
  return {
    ...(account === undefined ? {} : { account }),
    ...(team === undefined ? {} : { team }),
    ...(all === undefined ? {} : { all }),
  };
}

/** @param unixSeconds the end of a period; when it is exactly the end of a month, that month is meant */
function beginningOfMonth(unixSeconds: number): number {
  const last = new Date((unixSeconds - 1) * 1_000);
  return Date.UTC(last.getUTCFullYear(), last.getUTCMonth()) / 1_000;
}

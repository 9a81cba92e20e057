import { isUsageLabel } from '@model-gateway/shared';
import { type Command, InvalidArgumentError } from 'commander';
import { addLabelOptions, type LabelOptions, labelFilters } from '../label-options.ts';
import { addPageOptions, type PageOptions } from '../page-options.ts';
import { parseTime } from '../parse-time.ts';
import type { RunCommand } from '../run-command.ts';
import { accountUsage } from './account-usage.ts';
import { GROUPINGS, type Grouping, TOTAL_PAGE_LENGTH, totalUsage } from './total-usage.ts';

interface Options extends PageOptions, LabelOptions {
  account?: string;
  all?: boolean;
  team?: string;
  by?: Grouping;
  /** Unix seconds. */
  since?: number;
  until?: number;
}

const BY = [...GROUPINGS, 'tag:NAME', 'end_user', 'session'].join(', ');

function parseGrouping(text: string): Grouping {
  const grouping = isUsageLabel(text) ? text : GROUPINGS.find((each) => each === text);
  if (grouping === undefined) throw new InvalidArgumentError(`Allowed choices are ${BY}.`);
  return grouping;
}

export function addUsage(program: Command, run: RunCommand): void {
  const usage: Command = program.command('usage');
  addPageOptions(
    addLabelOptions(usage)
      .description(
        'show the usage of an account outside team seats, and its pools; ' +
          'with --all, --team or --by, show one row per account, team, seat, key, model, end user, session or ' +
          'value of a tag, the most expensive first',
      )
      .argument('[ACCOUNT]', 'the same as --account')
      .option('--account <account>', 'id or e-mail address (or --team, or --all: one is required)')
      .option('--all', 'all accounts together')
      .option('--team <team_id>', 'all seats of a team')
      .option(
        '--by <what>',
        `one row per ${BY}; the last three only for one account or team (account; for a team: seat)`,
        parseGrouping,
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
    const labels = labelFilters(options);
    if ((labels.length > 0 || isUsageLabel(by ?? '')) && all)
      usage.error('error: tags, end users and sessions are those of one account or team, not of --all');
    const isTotal = all || team !== undefined || by !== undefined;
    if (account !== undefined && !isTotal) {
      if (limit !== undefined || page !== undefined) {
        usage.error('error: --limit and --page need --all, --team or --by');
      }
      return run((client) => accountUsage(client, { account, startTime, endTime, labels }));
    }
    const query = { account, team, by: by ?? (team === undefined ? 'account' : 'seat'), labels, limit, page };
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

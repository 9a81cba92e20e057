import type { ControlPlaneClient } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { accountJson, accountTable } from '../../output/account.ts';
import { morePagesNote } from '../../output/more-pages.ts';
import { addPageOptions, type PageOptions, type PagePlace, readPage } from '../../page-options.ts';
import { readAllPages } from '../../read-all-pages.ts';
import { CALL_DEADLINE_MS, type CommandResult, type ListResult, type RunCommand } from '../../run-command.ts';

const PAGE_LENGTH = 100;

interface Options extends PageOptions {
  search?: string;
}

export function addAccountsList(accounts: Command, run: RunCommand): void {
  addPageOptions(accounts.command('list'), {
    limit: `all; with --page ${PAGE_LENGTH}`,
    place: 'the id of the last account of the page before',
  })
    .description('list accounts, oldest first')
    .option('--search <text>', 'only those with this in their id, e-mail address or name')
    .action((options: Options) => run<AccountRow>((client) => listAccounts(client, options)));
}

type AccountRow = ReturnType<typeof accountJson>;

async function listAccounts(
  client: ControlPlaneClient,
  { search, limit, page }: Options,
): Promise<CommandResult | ListResult<AccountRow>> {
  const ask = (place: Partial<PagePlace>) =>
    client.call(CALL_DEADLINE_MS, 'accounts', 'listAccounts', {
      ...place,
      ...(search === undefined ? {} : { search }),
    });
  if (limit === undefined && page === undefined) {
    return { pages: readAllPages(ask, (answer) => answer.accounts.map(accountJson)), table: accountTable };
  }
  const { rows, nextPageToken } = await readPage(
    { limit: limit ?? PAGE_LENGTH, page },
    (after) => ({ after }),
    async (place) => {
      const answer = await ask(place);
      return { rows: answer.accounts.map(accountJson), nextPageToken: answer.nextPageToken };
    },
  );
  return {
    json: rows,
    text: accountTable(rows),
    ...(nextPageToken === undefined ? {} : morePagesNote(rows.at(-1)?.id)),
  };
}

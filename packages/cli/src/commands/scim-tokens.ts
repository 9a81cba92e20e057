import type { ScimTokenMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addOptionalAccount, onOptionalAccount } from '../account-argument.ts';
import { formatTable } from '../output/format-table.ts';
import { isoTimestamp, timestampOrNull } from '../output/timestamp.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

export function addScimTokens(program: Command, run: RunCommand): void {
  const scimTokens = program
    .command('scim-tokens')
    .description('manage tokens of identity providers, which provision users over SCIM at /scim/v2');
  addScimTokensCreate(scimTokens, run);
  addScimTokensList(scimTokens, run);
  addScimTokensRevoke(scimTokens, run);
}

function addScimTokensCreate(scimTokens: Command, run: RunCommand): void {
  const create = addOptionalAccount(
    scimTokens.command('create'),
    'provision the members of this account: id or e-mail address',
  )
    .description(
      'create a token and print it as JSON; the secret `token` is shown only once; ' +
        'tokens of one name and account see the same users, so that one can replace another',
    )
    .requiredOption('--name <name>', 'name of the identity provider, such as okta');
  onOptionalAccount(create, (account = '', { name }: { account?: string; name: string }) =>
    run(async (client) => {
      const answer = await client.callOnce(CALL_DEADLINE_MS, 'scim', 'createScimToken', { account, name });
      const { id, ...token } = scimTokenJson(answer.scimToken);
      const json = { id, token: answer.token, ...token };
      return { json, text: `${JSON.stringify(json, null, 2)}\n` };
    }),
  );
}

function addScimTokensList(scimTokens: Command, run: RunCommand): void {
  scimTokens
    .command('list')
    .description('list tokens, newest first')
    .action(() =>
      run(async (client) => {
        const listed = await client.call(CALL_DEADLINE_MS, 'scim', 'listScimTokens', {});
        const rows = listed.scimTokens.map(scimTokenJson);
        return { json: rows, text: scimTokenTable(rows) };
      }),
    );
}

function addScimTokensRevoke(scimTokens: Command, run: RunCommand): void {
  scimTokens
    .command('revoke')
    .description('revoke a token at once; its users and groups stay as they are')
    .argument('<TOKEN_ID>', 'id as in `scim-tokens list`')
    .action((tokenId: string) =>
      run(async (client) => {
        const token = scimTokenJson(
          await client.call(CALL_DEADLINE_MS, 'scim', 'revokeScimToken', { tokenId }),
        );
        return { json: token, text: `${token.id} is revoked\n` };
      }),
    );
}

function scimTokenJson(token: ScimTokenMessage | null) {
  if (token === null) throw new Error('the control plane answered without a token');
  return {
    id: token.id,
    name: token.name,
    prefix: token.displayPrefix,
    account_id: token.accountId ?? null,
    status: token.revokedAtMs === undefined ? 'active' : 'revoked',
    created_at: isoTimestamp(token.createdAtMs),
    last_used_at: timestampOrNull(token.lastUsedAtMs),
  };
}

function scimTokenTable(rows: readonly ReturnType<typeof scimTokenJson>[]): string {
  return formatTable(
    ['ID', 'NAME', 'TOKEN', 'ACCOUNT', 'STATUS', 'LAST USED', 'CREATED'],
    rows.map((row) => [
      row.id,
      row.name,
      `${row.prefix}…`,
      row.account_id ?? '-',
      row.status,
      row.last_used_at ?? '-',
      row.created_at,
    ]),
  );
}

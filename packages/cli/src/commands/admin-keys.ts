import type { AdminKeyMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addOptionalAccount, onOptionalAccount } from '../account-argument.ts';
import { formatTable } from '../output/format-table.ts';
import { isoTimestamp, timestampOrNull } from '../output/timestamp.ts';
import { parseExpiry } from '../parse-key-end.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';

interface CreateOptions {
  name: string;
  scopes: string[];
  account?: string;
  /** Unix milliseconds. */
  expires?: number;
  networks?: string[];
}

export function addAdminKeys(program: Command, run: RunCommand): void {
  const adminKeys = program.command('admin-keys').description('manage keys of the management API');
  addAdminKeysCreate(adminKeys, run);
  addAdminKeysList(adminKeys, run);
  addAdminKeysRevoke(adminKeys, run);
}

function addAdminKeysCreate(adminKeys: Command, run: RunCommand): void {
  const create = addOptionalAccount(
    adminKeys.command('create'),
    'id or e-mail address of the only account that it can see and change (all)',
  )
    .description(
      'create a key of the management API and print it as JSON; the secret `key` is shown only once',
    )
    .requiredOption('--name <name>', 'what the key is for')
    .requiredOption(
      '--scopes <scopes>',
      'separated by commas, such as keys:write,accounts:read; write includes read',
      parseList,
    )
    .option('--expires <when>', 'a length of time such as 30d, or a date or time (never)', parseExpiry)
    .option('--networks <networks>', 'CIDRs of callers, separated by commas (any)', parseList);
  onOptionalAccount(create, (account, { expires, name, networks, scopes }: CreateOptions) =>
    run(async (client) => {
      const request = {
        ...{ name, scopes },
        ...(account === undefined ? {} : { account }),
        ...(networks === undefined ? {} : { networks }),
        ...(expires === undefined ? {} : { expiresAtMs: expires }),
      };
      const answer = await client.callOnce(CALL_DEADLINE_MS, 'admin', 'createAdminKey', request);
      if (answer.key === null) throw new Error('the control plane answered without the key');
      const { id, ...shown } = adminKeyJson(answer.key);
      const json = { id, key: answer.rawKey, ...shown };
      return { json, text: `${JSON.stringify(json, null, 2)}\n` };
    }),
  );
}

function addAdminKeysList(adminKeys: Command, run: RunCommand): void {
  const list = addOptionalAccount(
    adminKeys.command('list'),
    'only keys that are bound to this account (all)',
  ).description('list the keys of the management API, newest first, including revoked ones');
  onOptionalAccount(list, (account) =>
    run(async (client) => ({
      pages: readAllPages(
        (place) =>
          client.call(CALL_DEADLINE_MS, 'admin', 'listAdminKeys', {
            ...(account === undefined ? {} : { account }),
            ...place,
          }),
        (answer) => answer.keys.map(adminKeyJson),
      ),
      table: adminKeyTable,
    })),
  );
}

function addAdminKeysRevoke(adminKeys: Command, run: RunCommand): void {
  adminKeys
    .command('revoke')
    .description('revoke a key of the management API for good; its next request is refused')
    .argument('<key>', 'id as in `admin-keys list`')
    .action((id: string) =>
      run(async (client) => {
        const json = adminKeyJson(await client.call(CALL_DEADLINE_MS, 'admin', 'revokeAdminKey', { id }));
        return { json, text: `${id} (${json.name}) is revoked\n` };
      }),
    );
}

function parseList(text: string): string[] {
  return text.split(',').map((entry) => entry.trim());
}

type AdminKeyJson = ReturnType<typeof adminKeyJson>;

/** Returns a key as the management API shows it. */
function adminKeyJson(key: AdminKeyMessage) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.displayPrefix,
    scopes: key.scopes,
    account_id: key.accountId ?? null,
    networks: key.networks.length === 0 ? null : key.networks,
    created_at: isoTimestamp(key.createdAtMs),
    expires_at: timestampOrNull(key.expiresAtMs),
    revoked_at: timestampOrNull(key.revokedAtMs),
    last_used_at: timestampOrNull(key.lastUsedAtMs),
  };
}

function adminKeyTable(rows: readonly AdminKeyJson[]): string {
  return formatTable(
    ['ID', 'NAME', 'PREFIX', 'SCOPES', 'ACCOUNT', 'NETWORKS', 'EXPIRES', 'REVOKED', 'LAST USED'],
    rows.map((row) => [
      row.id,
      row.name,
      row.prefix,
      row.scopes.join(','),
      row.account_id ?? '-',
      row.networks?.join(',') ?? '-',
      row.expires_at ?? '-',
      row.revoked_at ?? '-',
      row.last_used_at ?? '-',
    ]),
  );
}

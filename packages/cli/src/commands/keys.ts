import type {
  ExpireKeyResponseMessage,
  RevokeKeyResponseMessage,
  RotateKeyResponseMessage,
} from '@model-gateway/contracts';
import type { Command } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Io } from '../io.ts';
import { formatTable } from '../output/format-table.ts';
import { type KeyJson, keyJson, keyTable } from '../output/key-table.ts';
import { shownOnce } from '../output/shown-once.ts';
import { confirmedResult, unconfirmedNote } from '../output/unconfirmed-note.ts';
import { parseDuration } from '../parse-duration.ts';
import { type KeyEnd, parseKeyEnd } from '../parse-key-end.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';
import { addKeysChange } from './change-key.ts';
import { addKeysCreate } from './create-key.ts';
import { type NameOf, namesOf } from './names-of.ts';
import { revokeFromLog } from './revoke-from-log.ts';

const KEY_ID_HELP = 'id as in `keys list`';

export function addKeys(program: Command, run: RunCommand, io: Pick<Io, 'readStdin'>): void {
  const keys = program.command('keys').description('manage API keys');
  addKeysCreate(keys, run);
  addKeysList(keys, run);
  addKeysOldPepper(keys, run);
  addKeysRename(keys, run);
  addKeysChange(keys, run);
  addKeysRotate(keys, run);
  addKeysExpire(keys, run);
  addKeysRevoke(keys, run, io);
}

function addKeysList(keys: Command, run: RunCommand): void {
  const list = addAccountArgument(keys.command('list')).description(
    'list the keys of an account, including revoked ones',
  );
  onAccount(list, (account) =>
    run(async (client) => ({
      pages: readAllPages(
        (place) => client.call(CALL_DEADLINE_MS, 'accounts', 'listKeys', { account, ...place }),
        (answer) => answer.keys.map(keyJson),
      ),
      table: keyTable,
    })),
  );
}

function addKeysOldPepper(keys: Command, run: RunCommand): void {
  keys
    .command('old-pepper')
    .description('list the active keys that are still hashed with the old pepper')
    .action(() =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'admin', 'listOldPepperKeys', {});
        const list = answer.keys.map(keyJson);
        const summary = `${answer.total} active keys are still hashed with the old pepper\n`;
        return {
          json: { total: answer.total, keys: list },
          text: async () =>
            oldPepperTable(
              list,
              await namesOf(
                client,
                list.map((key) => key.account_id),
              ),
            ) + summary,
        };
      }),
    );
}

function oldPepperTable(keys: readonly KeyJson[], nameOf: NameOf): string {
  if (keys.length === 0) return '';
  return formatTable(
    ['ID', 'ACCOUNT', 'NAME', 'PREFIX', 'CREATED'],
    keys.map((key) => [key.id, nameOf(key.account_id), key.name, key.prefix, key.created_at]),
  );
}

function addKeysRename(keys: Command, run: RunCommand): void {
  keys
    .command('rename')
    .description('rename an API key')
    .argument('<KEY_ID>', KEY_ID_HELP)
    .argument('<NAME>', 'what the key is for')
    .action((keyId: string, name: string) =>
      run(async (client) => {
        const key = keyJson(await client.call(CALL_DEADLINE_MS, 'accounts', 'renameKey', { keyId, name }));
        return { json: key, text: keyTable([key]) };
      }),
    );
}

function addKeysRotate(keys: Command, run: RunCommand): void {
  keys
    .command('rotate')
    .description(
      'replace an API key: print a new one, shown only once, and revoke the old one ' +
        'at once or after the overlap',
    )
    .argument('<KEY_ID>', 'id of the old key, as in `keys list`')
    .option('--overlap <time>', 'how long both keys work, such as 24h; at most 90d (0s)', parseDuration)
    .action((keyId: string, { overlap: overlapMs = 0 }: { overlap?: number }) =>
      run(async (client) =>
        rotationResult(
          await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'rotateKey', { keyId, overlapMs }),
        ),
      ),
    );
}

export function rotationResult(answer: RotateKeyResponseMessage): CommandResult {
  const key = keyJson(answer.key);
  const replaced = keyJson(answer.replaced);
  const unconfirmed = answer.unconfirmedInstances;
  const isRevoked = replaced.status === 'revoked';
  const end = isRevoked ? 'is revoked' : `works until ${replaced.expires_at}`;
  const notes = [
    shownOnce(key),
    `${replaced.id} ${end}`,
    unconfirmedNote(unconfirmed, isRevoked ? `accept ${replaced.id}` : `accept ${replaced.id} after that`),
  ];
  return {
    json: { ...key, key: answer.rawKey, replaced, unconfirmed_instances: unconfirmed },
    // Standard output has nothing but the key, as for `keys create`.
    text: `${answer.rawKey}\n`,
    note: notes.filter((note) => note !== undefined).join('; '),
  };
}

function addKeysExpire(keys: Command, run: RunCommand): void {
  keys
    .command('expire')
    .description('set when an API key expires; every data plane refuses it from then on')
    .argument('<KEY_ID>', KEY_ID_HELP)
    .requiredOption(
      '--at <time>',
      'a date or time in the future, such as 2026-12-31 or 2026-12-31T18:00:00Z; ' +
        'or now (same as `keys revoke`); or never',
      parseKeyEnd,
    )
    .action((keyId: string, { at }: { at: KeyEnd }) =>
      run(async (client) =>
        expiryResult(await client.call(CALL_DEADLINE_MS, 'accounts', 'expireKey', { keyId, ...at })),
      ),
    );
}

export function expiryResult(answer: ExpireKeyResponseMessage): CommandResult {
  const key = keyJson(answer.key);
  return confirmedResult({
    json: key,
    ...describeExpiry(key),
    done: '; known everywhere',
    unconfirmed: answer.unconfirmedInstances,
  });
}

/** Describes the expiry of a key, and what a data plane that does not know it yet may still do. */
function describeExpiry({ id, status, expires_at }: KeyJson): { text: string; may: string } {
  if (status === 'revoked') return { text: `${id} revoked`, may: `accept ${id}` };
  if (expires_at === null) {
    return { text: `${id} never expires`, may: `refuse ${id} at its former expiry` };
  }
  return { text: `${id} expires at ${expires_at}`, may: `accept ${id} after that` };
}

interface RevokeOptions {
  fromLog?: string;
  dryRun?: boolean;
}

function addKeysRevoke(keys: Command, run: RunCommand, io: Pick<Io, 'readStdin'>): void {
  const revoke = keys
    .command('revoke')
    .description('revoke an API key for good')
    .argument('[KEY_ID]', `${KEY_ID_HELP} (required without --from-log)`)
    .option(
      '--from-log <file>',
      'revoke every key that this control plane log reports as revoked; - reads standard input',
    )
    .option('--dry-run', 'with --from-log: only list the keys');
  revoke.action((keyId: string | undefined, { fromLog, dryRun = false }: RevokeOptions) => {
    if ((keyId === undefined) === (fromLog === undefined))
      revoke.error('error: give either a KEY_ID or --from-log');
    if (dryRun && fromLog === undefined) revoke.error('error: --dry-run needs --from-log');
    return run(async (client) => {
      if (fromLog !== undefined) return await revokeFromLog(client, fromLog, { dryRun, io });
      if (keyId === undefined) throw new CommandFailure(['there is no KEY_ID']);
      return revocationResult(await client.call(CALL_DEADLINE_MS, 'accounts', 'revokeKey', { keyId }));
    });
  });
}

export function revocationResult(answer: RevokeKeyResponseMessage): CommandResult {
  const key = keyJson(answer.key);
  return confirmedResult({
    json: key,
    text: `${key.id} revoked`,
    done: '; refused everywhere from now on',
    unconfirmed: answer.unconfirmedInstances,
    may: `accept ${key.id}`,
  });
}

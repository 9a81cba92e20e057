import type {
  ExpireKeyResponseMessage,
  RevokeKeyResponseMessage,
  RotateKeyResponseMessage,
} from '@model-gateway/contracts';
import { type Command, InvalidArgumentError } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Io } from '../io.ts';
import { type KeyJson, keyJson, keyTable } from '../output/key.ts';
import { printable } from '../output/printable.ts';
import { formatTable } from '../output/table.ts';
import { confirmedResult, unconfirmedNote } from '../output/unconfirmed.ts';
import { parseDuration } from '../parse-duration.ts';
import { parseTime } from '../parse-time.ts';
import { readAllPages } from '../read-all-pages.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';
import { revokeFromLog } from './revoke-from-log.ts';

const KEY_ID_HELP = 'as `keys list` shows it';

export function addKeys(program: Command, run: RunCommand, io: Pick<Io, 'readStdin'>): void {
  const keys = program.command('keys').description('API keys');
  addKeysCreate(keys, run);
  addKeysList(keys, run);
  addKeysOldPepper(keys, run);
  addKeysRename(keys, run);
  addKeysRotate(keys, run);
  addKeysExpire(keys, run);
  addKeysRevoke(keys, run, io);
}

interface CreateOptions {
  account?: string;
  seat?: string;
  name: string;
}

function addKeysCreate(keys: Command, run: RunCommand): void {
  const create = addAccountArgument(keys.command('create'), 'whose key')
    .description('create an API key and print it, this once')
    .option('--seat <seat>', "seat of that account: the key draws on the seat's team")
    .requiredOption('--name <name>', 'what it is for');
  onAccount(create, (account, { seat, name }: CreateOptions) =>
    run(async (client) => {
      const request = { account, name, ...(seat === undefined ? {} : { seatId: seat }) };
      const answer = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'createKey', request);
      const key = keyJson(answer.key);
      return {
        json: { ...key, key: answer.rawKey },
        // Standard output has nothing but the key, so that KEY=$(gatewayctl keys create …) works.
        text: `${answer.rawKey}\n`,
        note: shownOnce(key),
      };
    }),
  );
}

function shownOnce({ id, name }: KeyJson): string {
  return `${id} (${printable(name)}): shown once; it cannot be recovered`;
}

function addKeysList(keys: Command, run: RunCommand): void {
  const list = addAccountArgument(keys.command('list')).description(
    "list an account's keys, revoked ones too",
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
    .description('list the active keys that still have the hash of an earlier pepper')
    .action(() =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'admin', 'listOldPepperKeys', {});
        const list = answer.keys.map(keyJson);
        const table = formatTable(
          ['ID', 'ACCOUNT', 'NAME', 'PREFIX', 'CREATED'],
          list.map((key) => [key.id, key.account_id, key.name, key.prefix, key.created_at]),
        );
        const summary = `${answer.total} active keys have not moved to the pepper in force\n`;
        return {
          json: { total: answer.total, keys: list },
          text: `${list.length === 0 ? '' : table}${summary}`,
        };
      }),
    );
}

function addKeysRename(keys: Command, run: RunCommand): void {
  keys
    .command('rename')
    .description('give an API key another name')
    .argument('<KEY_ID>', KEY_ID_HELP)
    .argument('<NAME>', 'what it is for')
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
      'create an API key that replaces another one, and print it, this once; ' +
        'the other one is revoked at once, or ends after the overlap',
    )
    .argument('<KEY_ID>', 'the one to replace, as `keys list` shows it')
    .option('--overlap <time>', 'how long both work, such as 24h or 7d; at most 90d (0s)', parseDuration)
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

/** When a key ends: Unix milliseconds, or a word. */
type KeyEnd = { atMs: number } | { now: true } | { never: true };

function addKeysExpire(keys: Command, run: RunCommand): void {
  keys
    .command('expire')
    .description('say when an API key ends by itself; from then on it is refused everywhere')
    .argument('<KEY_ID>', KEY_ID_HELP)
    .requiredOption(
      '--at <time>',
      'a date or a time to come, such as 2026-12-31 or 2026-12-31T18:00:00Z; ' +
        'now (as `keys revoke`, for good); never',
      parseKeyEnd,
    )
    .action((keyId: string, { at }: { at: KeyEnd }) =>
      run(async (client) =>
        expiryResult(await client.call(CALL_DEADLINE_MS, 'accounts', 'expireKey', { keyId, ...at })),
      ),
    );
}

/** @throws InvalidArgumentError */
function parseKeyEnd(text: string): KeyEnd {
  if (text === 'now') return { now: true };
  if (text === 'never') return { never: true };
  try {
    return { atMs: parseTime(text) * 1_000 };
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new InvalidArgumentError(`${error.message} Or one of the words now and never.`);
  }
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

/** Says how the key ends, and what a data plane that does not know it yet may still do. */
function describeExpiry({ id, status, expires_at }: KeyJson): { text: string; may: string } {
  if (status === 'revoked') return { text: `${id} revoked`, may: `accept ${id}` };
  if (expires_at === null) {
    return { text: `${id} never expires`, may: `refuse ${id} when it would have expired before` };
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
    .argument('[KEY_ID]', `${KEY_ID_HELP} (required, unless --from-log is given)`)
    .option(
      '--from-log <file>',
      'every key whose revocation control planes have logged there; - is standard input',
    )
    .option('--dry-run', 'with --from-log: only list them');
  revoke.action((keyId: string | undefined, { fromLog, dryRun = false }: RevokeOptions) => {
    if ((keyId === undefined) === (fromLog === undefined))
      revoke.error('error: name a KEY_ID or --from-log, not both');
    if (dryRun && fromLog === undefined) revoke.error('error: --dry-run goes with --from-log');
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

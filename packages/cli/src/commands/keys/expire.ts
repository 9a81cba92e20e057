import type { ExpireKeyResponseMessage } from '@model-gateway/contracts';
import { type Command, InvalidArgumentError } from 'commander';
import { keyJson } from '../../output/key.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { parseTime } from '../../parse-time.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

/** When a key ends: Unix milliseconds, or a word. */
type KeyEnd = { atMs: number } | { now: true } | { never: true };

export function addKeysExpire(keys: Command, run: RunCommand): void {
  keys
    .command('expire')
    .description('say when an API key ends by itself; from then on it is refused everywhere')
    .argument('<KEY_ID>', 'as `keys list` shows it')
    .requiredOption(
      '--at <time>',
      'a date or a time to come, such as 2026-12-31 or 2026-12-31T18:00:00Z; ' +
        'now (as `keys revoke`, for good); never',
      parseKeyEnd,
    )
    .action((keyId: string, { at }: { at: KeyEnd }) =>
      run(async (client) => {
        const answer = await client.call(CALL_DEADLINE_MS, 'accounts', 'expireKey', { keyId, ...at });
        return expiryResult(answer);
      }),
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

/** Calls it done only when every data plane has confirmed it. */
export function expiryResult(answer: ExpireKeyResponseMessage): CommandResult {
  const key = keyJson(answer.key);
  const unconfirmed = answer.unconfirmedInstances;
  const json = { ...key, unconfirmed_instances: unconfirmed };
  const [text, may] = outcome(key);
  const note = unconfirmedNote(unconfirmed, may);
  if (note !== undefined) return { json, text: `${key.id} ${text}\n`, note };
  return { json, text: `${key.id} ${text}; known everywhere\n` };
}

/** Returns what has become of the key, and what a data plane that does not know it yet may still do. */
function outcome({ id, status, expires_at }: ReturnType<typeof keyJson>): [text: string, may: string] {
  if (status === 'revoked') return ['revoked', `accept ${id}`];
  if (expires_at === null) return ['never expires', `refuse ${id} when it would have expired before`];
  return [`expires at ${expires_at}`, `accept ${id} after that`];
}

import type { RevokeKeyResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { CommandFailure } from '../../command-failure.ts';
import type { Io } from '../../io.ts';
import { keyJson } from '../../output/key.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';
import { revokeFromLog } from './revoke-from-log.ts';

export function addKeysRevoke(keys: Command, run: RunCommand, io: Io): void {
  const revoke = keys
    .command('revoke')
    .description('revoke an API key for good')
    .argument('[KEY_ID]', 'as `keys list` shows it (required, unless --from-log is given)')
    .option(
      '--from-log <file>',
      'every key whose revocation control planes have logged there; - is standard input',
    )
    .option('--dry-run', 'with --from-log: only list them');
  revoke.action((keyId: string | undefined, { fromLog, dryRun = false }: FromLogOptions) => {
    if ((keyId === undefined) === (fromLog === undefined))
      revoke.error('error: name a KEY_ID or --from-log, not both');
    if (dryRun && fromLog === undefined) revoke.error('error: --dry-run goes with --from-log');
    return run(async (client) => {
      if (fromLog !== undefined) return await revokeFromLog(client, fromLog, { dryRun, io });
      if (keyId === undefined) throw new CommandFailure(['there is no KEY_ID']);
      const answer = await client.call(CALL_DEADLINE_MS, 'accounts', 'revokeKey', { keyId });
      return revocationResult(answer);
    });
  });
}

interface FromLogOptions {
  fromLog?: string;
  dryRun?: boolean;
}

/** Calls it done only when every data plane has confirmed it. */
export function revocationResult(answer: RevokeKeyResponseMessage): CommandResult {
  const key = keyJson(answer.key);
  const unconfirmed = answer.unconfirmedInstances;
  const json = { ...key, unconfirmed_instances: unconfirmed };
  const note = unconfirmedNote(unconfirmed, `accept ${key.id}`);
  if (note !== undefined) return { json, text: `${key.id} revoked\n`, note };
  return { json, text: `${key.id} revoked; refused everywhere from now on\n` };
}

import type { RevokeKeyResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { keyJson } from '../../output/key.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

export function addKeysRevoke(keys: Command, run: RunCommand): void {
  keys
    .command('revoke')
    .description('revoke an API key for good')
    .argument('<KEY_ID>', 'as `keys list` shows it')
    .action((keyId: string) =>
      run(async (client) => {
        const answer = await client.call<RevokeKeyResponseMessage>(CALL_DEADLINE_MS, (stubs, ...rest) =>
          stubs.accounts.revokeKey({ keyId }, ...rest),
        );
        return revocationResult(answer);
      }),
    );
}

/** Only what every data plane has confirmed is called done. */
export function revocationResult(answer: RevokeKeyResponseMessage): CommandResult {
  const key = keyJson(answer.key);
  const unconfirmed = answer.unconfirmedInstances;
  const json = { ...key, unconfirmed_instances: unconfirmed };
  const note = unconfirmedNote(unconfirmed, `accept ${key.id}`);
  if (note !== undefined) return { json, text: `${key.id} revoked\n`, note };
  return { json, text: `${key.id} revoked; refused everywhere from now on\n` };
}

import type { RotateKeyResponseMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { keyJson } from '../../output/key.ts';
import { printable } from '../../output/printable.ts';
import { unconfirmedNote } from '../../output/unconfirmed.ts';
import { parseDuration } from '../../parse-duration.ts';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../../run-command.ts';

export function addKeysRotate(keys: Command, run: RunCommand): void {
  keys
    .command('rotate')
    .description(
      'create an API key that replaces another one, and print it, this once; ' +
        'the other one is revoked at once, or ends after the overlap',
    )
    .argument('<KEY_ID>', 'the one to replace, as `keys list` shows it')
    .option('--overlap <time>', 'how long both work, such as 24h or 7d; at most 90d (0s)', parseDuration)
    .action((keyId: string, { overlap: overlapMs = 0 }: { overlap?: number }) =>
      run(async (client) => {
        const answer = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'rotateKey', { keyId, overlapMs });
        return rotationResult(answer);
      }),
    );
}

/** Calls it done only when every data plane has confirmed it. */
export function rotationResult(answer: RotateKeyResponseMessage): CommandResult {
  const key = keyJson(answer.key);
  const replaced = keyJson(answer.replaced);
  const unconfirmed = answer.unconfirmedInstances;
  const isRevoked = replaced.status === 'revoked';
  const end = isRevoked ? 'is revoked' : `works until ${replaced.expires_at}`;
  const notes = [
    `${key.id} (${printable(key.name)}): shown once; it cannot be recovered`,
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

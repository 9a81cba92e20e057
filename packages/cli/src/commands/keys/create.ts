import type { Command } from 'commander';
import { addAccountArgument, givenAccount } from '../../account-argument.ts';
import { keyJson } from '../../output/key.ts';
import { printable } from '../../output/printable.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

interface Options {
  account?: string;
  seat?: string;
  name: string;
}

export function addKeysCreate(keys: Command, run: RunCommand): void {
  const create = addAccountArgument(keys.command('create'), 'whose key')
    .description('create an API key and print it, this once')
    .option('--seat <seat>', "seat of that account: the key draws on the seat's team")
    .requiredOption('--name <name>', 'what it is for')
    .action((argument: string | undefined, { account: option, seat, name }: Options) => {
      const account = givenAccount(create, argument, option);
      return run(async (client) => {
        const answer = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'createKey', {
          account,
          name,
          ...(seat === undefined ? {} : { seatId: seat }),
        });
        const key = keyJson(answer.key);
        return {
          json: { ...key, key: answer.rawKey },
          // Standard output has nothing but the key, so that KEY=$(gatewayctl keys create …) works.
          text: `${answer.rawKey}\n`,
          note: `${key.id} (${printable(key.name)}): shown once; it cannot be recovered`,
        };
      });
    });
}

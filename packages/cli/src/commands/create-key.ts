import { CACHE_OFF } from '@model-gateway/shared/rules';
import type { Command } from 'commander';
import { addAccountArgument, onAccount } from '../account-argument.ts';
import { type KeyJson, keyJson } from '../output/key-table.ts';
import { shownOnce } from '../output/shown-once.ts';
import { parseExpiry } from '../parse-key-end.ts';
import { addRulesOptions, type RulesOptions, readRulesOptions } from '../rules-options.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';
import { readReport } from './rules.ts';

interface CreateOptions extends RulesOptions {
  account?: string;
  seat?: string;
  name: string;
  /** Unix milliseconds. */
  expires?: number;
}

export function addKeysCreate(keys: Command, run: RunCommand): void {
  const create = addRulesOptions(addAccountArgument(keys.command('create'), 'owner of the key: '))
    .description('create an API key and print it; it is shown only once')
    .option('--seat <seat>', 'a seat of the account; pools of the seat and its team then pay')
    .requiredOption('--name <name>', 'what the key is for')
    .option('--expires <when>', 'a length of time such as 30d, or a date or time (never)', parseExpiry);
  onAccount(create, (account, { seat, name, expires, ...options }: CreateOptions) =>
    run(async (client) => {
      const { cache, rulesJson, tags } = readRulesOptions(options);
      const request = {
        account,
        name,
        ...(seat === undefined ? {} : { seatId: seat }),
        ...(expires === undefined ? {} : { expiresAtMs: expires }),
        ...(rulesJson === undefined ? {} : { rulesJson }),
        ...(tags === undefined ? {} : { tags }),
        ...(cache === undefined || cache === CACHE_OFF ? {} : { cache }),
      };
      const answer = await client.callOnce(CALL_DEADLINE_MS, 'accounts', 'createKey', request);
      const key = keyJson(answer.key);
      return {
        json: { ...key, key: answer.rawKey, ...(answer.rules && { rules: readReport(answer.rules) }) },
        // Standard output has nothing but the key, so that KEY=$(gatewayctl keys create …) works.
        text: `${answer.rawKey}\n`,
        note: createdNote(key, {
          isEnding: expires !== undefined,
          lacksRules: rulesJson !== undefined && answer.rules === null,
        }),
      };
    }),
  );
}

/** @param requested what an earlier release of the control plane ignores */
function createdNote(
  key: KeyJson,
  { isEnding, lacksRules }: { isEnding: boolean; lacksRules: boolean },
): string {
  if (lacksRules)
    return `${shownOnce(key)}; HAS NO RULES, because the control plane is older: keys revoke ${key.id}`;
  if (key.expires_at !== null) return `${shownOnce(key)}; expires at ${key.expires_at}`;
  if (!isEnding) return shownOnce(key);
  return `${shownOnce(key)}; NEVER EXPIRES, because the control plane is older: keys expire ${key.id} --at …`;
}

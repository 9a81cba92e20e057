import type { Command } from 'commander';
import { keyJson } from '../output/key-table.ts';
import { confirmedResult } from '../output/unconfirmed-note.ts';
import { addRulesOptions, type RulesOptions, readRulesOptions } from '../rules-options.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../run-command.ts';
import { readReport } from './rules.ts';

export function addKeysChange(keys: Command, run: RunCommand): void {
  const change: Command = addRulesOptions(keys.command('change').argument('<KEY_ID>', 'id as in `keys list`'))
    .description(
      'change rules, tags and cache of an API key; each option replaces what it names, and all else stays',
    )
    .action((keyId: string, options: RulesOptions) => {
      const { cache, rulesJson, tags } = readRulesOptions(options);
      if (rulesJson === undefined && tags === undefined && cache === undefined)
        change.error('error: name at least one rule, tag or the cache to change');
      return run(async (client) => {
        const request = {
          keyId,
          ...(rulesJson === undefined ? {} : { rulesJson }),
          ...(tags === undefined ? {} : { tags: { tags } }),
          ...(cache === undefined ? {} : { cache }),
        };
        const answer = await client.call(CALL_DEADLINE_MS, 'accounts', 'changeKey', request);
        return confirmedResult({
          json: { ...keyJson(answer.key), rules: readReport(answer.rules) },
          text: `${keyId} changed`,
          done: '; known everywhere',
          unconfirmed: answer.unconfirmedInstances,
          may: 'apply the old rules',
        });
      });
    });
}

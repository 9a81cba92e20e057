import type { Command } from 'commander';
import { ledgerJson, ledgerNote, ledgerText } from '../output/ledger.ts';
import type { RunCommand } from '../run-command.ts';

/** The check sums up everything that was ever charged, which takes time. */
const DEADLINE_MS = 600_000;

export function addVerifyLedger(program: Command, run: RunCommand): void {
  program
    .command('verify-ledger')
    .description('check all money against each other; exit code 1 when rows disagree')
    .action(() =>
      run(async (client) => {
        const answer = await client.call(DEADLINE_MS, 'pools', 'verifyLedger', {});
        const ledger = ledgerJson(answer);
        const note = ledgerNote(ledger);
        return { json: ledger, text: ledgerText(ledger), note, failed: note !== undefined };
      }),
    );
}

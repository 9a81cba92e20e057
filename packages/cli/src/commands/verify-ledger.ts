import type { Command } from 'commander';
import { ledgerJson, ledgerNote, ledgerText } from '../output/ledger-text.ts';
import type { RunCommand } from '../run-command.ts';

/** The check sums up all charges ever made, which takes time. */
const DEADLINE_MS = 600_000;

export function addVerifyLedger(program: Command, run: RunCommand): void {
  program
    .command('verify-ledger')
    .description('check that pools, usage records and ledger agree; exit code 1 if they do not')
    .action(() =>
      run(async (client) => {
        const answer = await client.call(DEADLINE_MS, 'pools', 'verifyLedger', {});
        const ledger = ledgerJson(answer);
        const note = ledgerNote(ledger);
        return { json: ledger, text: ledgerText(ledger), note, failed: note !== undefined };
      }),
    );
}

import type { Command } from 'commander';
import { receiptJson, receiptText } from '../../output/receipt.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addReceiptsShow(receipts: Command, run: RunCommand): void {
  receipts
    .command('show')
    .description('show what a request consumed, what it cost, and who paid')
    .argument('<REQUEST_ID>', 'the x-request-id of its answer')
    .action((requestId: string) =>
      run(async (client) => {
        const message = await client.call(CALL_DEADLINE_MS, 'billing', 'getReceipt', { requestId });
        const receipt = receiptJson(message);
        return { json: receipt, text: receiptText(receipt) };
      }),
    );
}

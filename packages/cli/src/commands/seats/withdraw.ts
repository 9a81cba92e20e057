import type { Command } from 'commander';
import { invitationJson } from '../../output/seat.ts';
import { CALL_DEADLINE_MS, type RunCommand } from '../../run-command.ts';

export function addSeatsWithdraw(seats: Command, run: RunCommand): void {
  seats
    .command('withdraw')
    .description('withdraw an invitation that nobody has accepted')
    .argument('<INVITATION_ID>', 'as `seats list` shows it')
    .action((invitationId: string) =>
      run(async (client) => {
        const message = await client.callOnce(CALL_DEADLINE_MS, 'teams', 'withdrawInvitation', {
          invitationId,
        });
        const { id, account_email } = invitationJson(message);
        return {
          json: { id, account_email, status: 'withdrawn' },
          text: `${id} withdrawn; neither ${account_email} nor its link takes the seat any more\n`,
        };
      }),
    );
}

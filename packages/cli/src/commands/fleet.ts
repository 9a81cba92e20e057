import type { DrainedDataPlaneMessage } from '@model-gateway/contracts';
import type { Command } from 'commander';
import { CALL_DEADLINE_MS, type CommandResult, type RunCommand } from '../run-command.ts';

const ID_HELP = 'id of the data plane, as in gatewayctl status';

export function addFleet(program: Command, run: RunCommand): void {
  const fleet = program.command('fleet').description('take data planes out of traffic, and back');
  addFleetDrain(fleet, run);
  addFleetUndrain(fleet, run);
}

function addFleetDrain(fleet: Command, run: RunCommand): void {
  fleet
    .command('drain')
    .description(
      'take a data plane out of traffic until undrain or its end: its readiness fails, so that load balancers ' +
        'send it no new requests; requests under way end',
    )
    .argument('<id>', ID_HELP)
    .action((instanceId: string) =>
      run(async (client) =>
        drainResult(await client.call(CALL_DEADLINE_MS, 'admin', 'drainDataPlane', { instanceId })),
      ),
    );
}

function addFleetUndrain(fleet: Command, run: RunCommand): void {
  fleet
    .command('undrain')
    .description('take a drained data plane back into traffic')
    .argument('<id>', ID_HELP)
    .action((instanceId: string) =>
      run(async (client) =>
        drainResult(await client.call(CALL_DEADLINE_MS, 'admin', 'undrainDataPlane', { instanceId })),
      ),
    );
}

function drainResult({ drained, host, instanceId, openRequests }: DrainedDataPlaneMessage): CommandResult {
  const text = drained
    ? `${host} takes no new requests. Open: ${openRequests}. See when they have ended: gatewayctl status`
    : `${host} takes requests again.`;
  return { json: { id: instanceId, host, drained, open_requests: openRequests }, text: `${text}\n` };
}

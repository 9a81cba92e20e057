import type { ControlPlaneClient } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from '../run-command.ts';

/**
 * Asks for the id of an account, which stays what it is when the account loses its e-mail address. Of the
 * calls that also take an address, the one about limits has the smallest answer.
 * @param account id or e-mail address
 * @throws the gRPC ServiceError of the call
 */
export async function accountIdOf(client: ControlPlaneClient, account: string): Promise<string> {
  const limits = await client.call(CALL_DEADLINE_MS, 'accounts', 'getLimits', { account });
  return limits.accountId;
}

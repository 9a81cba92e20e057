import type { ControlPlaneCalls } from '@model-gateway/contracts';
import { CALL_DEADLINE_MS } from '../run-command.ts';

/**
 * Gets the id of an account, which survives the loss of its e-mail address. Of all calls that take an
 * address, `getLimits` has the smallest response.
 * @param account id or e-mail address
 * @throws the gRPC ServiceError of the call
 */
export async function accountIdOf(client: ControlPlaneCalls, account: string): Promise<string> {
  const limits = await client.call(CALL_DEADLINE_MS, 'accounts', 'getLimits', { account });
  return limits.accountId;
}

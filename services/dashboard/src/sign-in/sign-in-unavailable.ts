import { signInsUncheckable } from '../errors/availability-errors.ts';

/**
 * Whatever fails where sessions are kept is an outage to the user, never "signed out": the cause is in the log.
 * @throws DashboardError service_unavailable
 */
export async function signInUnavailable<Value>(work: PromiseLike<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw signInsUncheckable(cause);
  }
}

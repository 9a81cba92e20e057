import { signInsUncheckable } from '../errors/availability-errors.ts';

/**
 * If the store of sessions fails, the user gets an outage and never "signed out". The cause is in the log.
 * @throws DashboardError service_unavailable
 */
export async function signInUnavailable<Value>(work: PromiseLike<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw signInsUncheckable(cause);
  }
}

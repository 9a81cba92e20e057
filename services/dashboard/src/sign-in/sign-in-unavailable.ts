import { DashboardError } from '../errors/dashboard-error.ts';

/**
 * If the store of sessions fails, the user gets an outage and never "signed out". The cause is in the log.
 * @throws DashboardError service_unavailable
 */
export async function signInUnavailable<Value>(work: PromiseLike<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw unavailable(cause);
  }
}

export function unavailable(cause: unknown): DashboardError {
  return new DashboardError(
    'service_unavailable',
    'Sign-ins cannot be checked at the moment. Try again in a few seconds.',
    { retryAfterSeconds: 2, cause },
  );
}

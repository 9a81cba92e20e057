import { sessionStoreUnreachable } from '../errors/availability-errors.ts';
import { DashboardError } from '../errors/dashboard-error.ts';

/**
 * Maps a failure of the session store to an outage; errors of ours pass.
 * @throws DashboardError service_unavailable
 */
export async function mapStoreFailure<Value>(work: PromiseLike<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw cause instanceof DashboardError ? cause : sessionStoreUnreachable(cause);
  }
}

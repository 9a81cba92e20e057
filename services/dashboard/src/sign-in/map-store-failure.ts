import { sessionStoreUnreachable } from '../errors/availability-errors.ts';

/** Maps a failure of the session store to an outage. @throws DashboardError service_unavailable */
export async function mapStoreFailure<Value>(work: PromiseLike<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw sessionStoreUnreachable(cause);
  }
}

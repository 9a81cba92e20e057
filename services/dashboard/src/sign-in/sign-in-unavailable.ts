import { signInsUncheckable } from '../errors/availability-errors.ts';

/** Maps a failure of the session store to an outage. @throws DashboardError service_unavailable */
export async function signInUnavailable<Value>(work: PromiseLike<Value>): Promise<Value> {
  try {
    return await work;
  } catch (cause) {
    throw signInsUncheckable(cause);
  }
}

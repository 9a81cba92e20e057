import type { ListProviderAttemptsRequestMessage, ProviderAttemptMessage } from '@model-gateway/contracts';
import type { Period } from './compare-requests.ts';
import { type GatewayAttempt, readAttempt } from './gateway-attempt.ts';

const HOUR_MS = 3_600_000;
const PAGE_LENGTH = 1_000;

interface AttemptsPage {
  attempts: readonly ProviderAttemptMessage[];
  nextPageToken?: string | undefined;
}

/**
 * Yields the recorded attempts at a provider, page by page. Starts an hour before the period and ends six
 * hours after it: a request of the period may have begun before it, and may end after it.
 * @param readPage the RPC ListProviderAttempts, or the verb behind it
 */
export async function* readAttempts(
  readPage: (request: ListProviderAttemptsRequestMessage) => Promise<AttemptsPage>,
  providerId: string,
  { fromMs, toMs }: Period,
): AsyncGenerator<GatewayAttempt[]> {
  const request = {
    providerId,
    startMs: String(fromMs - HOUR_MS),
    endMs: String(toMs + 6 * HOUR_MS),
    limit: PAGE_LENGTH,
  };
  let pageToken: string | undefined;
  do {
    const place = pageToken === undefined ? {} : { pageToken };
    const page: AttemptsPage = await readPage({ ...request, ...place });
    yield page.attempts.map(readAttempt);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
}

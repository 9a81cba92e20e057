import type { ListProviderAttemptsRequestMessage, ProviderAttemptMessage } from '@model-gateway/contracts';
import type { Period } from './compare-requests.ts';
import { type GatewayAttempt, readAttempt } from './gateway-attempt.ts';

const HOUR_MS = 3_600_000;
const PAGE_LENGTH = 1_000;

interface AttemptsPage {
  attempts: readonly ProviderAttemptMessage[];
  nextPageToken?: string | undefined;
}

/** Widens a period: a request of the period may have begun before it, and may end after it. */
export function attemptPeriod({ fromMs, toMs }: Period): Period {
  return { fromMs: fromMs - HOUR_MS, toMs: toMs + 6 * HOUR_MS };
}

/**
 * Yields the recorded attempts at a provider of a period and around it (`attemptPeriod`), page by page.
 * @param readPage the RPC ListProviderAttempts, or the verb behind it
 */
export async function* readAttempts(
  readPage: (request: ListProviderAttemptsRequestMessage) => Promise<AttemptsPage>,
  providerId: string,
  period: Period,
): AsyncGenerator<GatewayAttempt[]> {
  const { fromMs, toMs } = attemptPeriod(period);
  const request = { providerId, startMs: String(fromMs), endMs: String(toMs), limit: PAGE_LENGTH };
  let pageToken: string | undefined;
  do {
    const place = pageToken === undefined ? {} : { pageToken };
    const page: AttemptsPage = await readPage({ ...request, ...place });
    yield page.attempts.map(readAttempt);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
}

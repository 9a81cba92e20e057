import { BillError, type BillPart } from '@model-gateway/provider-bills';
import { BilledRequests } from './billed-requests.ts';
import { compareRequests, type Period } from './compare-requests.ts';
import { compareSums } from './compare-sums.ts';
import type { GatewayAttempt } from './gateway-attempt.ts';
import type { ProviderNames } from './names.ts';
import type { Report } from './report.ts';

export type { Period };

export interface ReconcileInput {
  bill: AsyncIterable<BillPart>;
  /** Attempts in pages, also some from before and after the period (`readAttempts`). */
  attempts: AsyncIterable<readonly GatewayAttempt[]>;
  names: ProviderNames;
  period: Period;
}

/**
 * Compares a bill with the gateway's records: request by request if the bill lists requests, else by sums.
 * All requests of a list are held in memory.
 * @throws BillError for a bill with both: the sums would be left out
 */
export async function reconcile({ attempts, bill, names, period }: ReconcileInput): Promise<Report> {
  const requests = new BilledRequests();
  const parts: BillPart[] = [];
  for await (const part of bill) {
    const sums = part.lines.filter(({ requestId }) => requestId === null);
    if (sums.length > 0) parts.push({ ...part, lines: sums });
    for (const line of part.lines) requests.add(line);
  }
  const { all } = requests;
  if (parts.length > 0 && all.length > 0)
    throw new BillError(
      'Some lines name a request and others do not: compare the requests and the sums one after another.',
    );
  // An empty bill is compared by requests, so that each attempt is `not_billed`.
  if (parts.length > 0) return await compareSums(parts, attempts, names, period);
  const recorded: GatewayAttempt[] = [];
  for await (const page of attempts) for (const attempt of page) recorded.push(attempt);
  return compareRequests(all, recorded, names, period);
}

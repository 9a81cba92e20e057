import { BillError, type BillLine, type BillPart } from '@model-gateway/provider-bills';
import { BilledRequests } from './billed-requests.ts';
import { compareRequests, type Period } from './compare-requests.ts';
import { compareSums } from './compare-sums.ts';
import type { GatewayAttempt } from './gateway-attempt.ts';
import type { ProviderNames } from './names.ts';
import { attemptPeriod } from './read-attempts.ts';
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
 * Compares a bill with the gateway's records: request by request, all of the period in memory, if the bill
 * names requests; else by sums.
 * @throws BillError for a bill with both: the sums would be left out
 */
export async function reconcile({ attempts, bill, names, period }: ReconcileInput): Promise<Report> {
  const requests = new BilledRequests();
  const parts: BillPart[] = [];
  const around = attemptPeriod(period);
  const kinds = new Set<string>();
  // One line of each kind is enough to show what a bill has outside the period.
  const isKept = (line: BillLine, { format }: BillPart) => {
    const { costNanoUsd, credential, quantity, requests: count, unit } = line;
    const has = [costNanoUsd, credential, quantity, count].map((each) => each !== null);
    return isIn(line, period) || kinds.size < kinds.add(`${format.name} ${unit} ${has}`).size;
  };
  for await (const part of bill) {
    const sums = part.lines.filter((line) => line.requestId === null && isKept(line, part));
    if (sums.length > 0) parts.push({ ...part, lines: sums });
    for (const line of part.lines) if (isIn(line, around)) requests.add(line);
  }
  const { all } = requests;
  if (parts.length > 0 && all.length > 0)
    throw new BillError(
      'Some lines name a request and others do not: compare the requests and the sums one after another.',
    );
  // An empty bill is compared by requests, so that each attempt is `not_billed`.
  if (parts.length > 0) return await compareSums(parts, attempts, names, period);
  return await compareRequests(all, all.length === 0 ? attempts : inOnePage(attempts), names, period);
}

async function* inOnePage(attempts: ReconcileInput['attempts']): AsyncGenerator<GatewayAttempt[]> {
  const recorded: GatewayAttempt[] = [];
  for await (const page of attempts) for (const attempt of page) recorded.push(attempt);
  yield recorded;
}

function isIn({ startTimeMs }: BillLine, { fromMs, toMs }: Period): boolean {
  return startTimeMs >= fromMs && startTimeMs < toMs;
}

import type { BilledRequest } from './billed-requests.ts';
import { type GatewayAttempt, isBillable } from './gateway-attempt.ts';
import type { ModelNames, ProviderNames } from './names.ts';

/** Allows for clocks that differ, and for the time that a request travels. */
const SKEW_MS = 2_000;

/** A billed request and its attempt. One of them may be missing. */
export interface Match {
  billed: BilledRequest | undefined;
  attempt: GatewayAttempt | undefined;
}

/**
 * Finds the attempt of each billed request: by the provider's request id; for attempts without one, by the
 * gateway's request id, or else by credential, model and the closest start. Nothing is matched twice.
 */
export function matchRequests(
  billed: readonly BilledRequest[],
  attempts: readonly GatewayAttempt[],
  models: ModelNames,
  credentials: ProviderNames['credentials'],
): Match[] {
  const matches: Match[] = [];
  const byId = groupBy(billed, ({ id }) => id);
  const byClientId = groupBy(billed, ({ clientId }) => clientId);
  const unmatched = new Set(billed);
  const isSameModel = (attempt: GatewayAttempt) => (request: BilledRequest) =>
    models.nameOfBilled(request.model) === models.nameOf(attempt.modelId);
  const take = (attempt: GatewayAttempt, request: BilledRequest | undefined): boolean => {
    if (request === undefined) return false;
    unmatched.delete(request);
    matches.push({ billed: request, attempt });
    return true;
  };

  const withoutId = attempts.filter((attempt) => {
    if (attempt.providerRequestId === null) return true;
    const named = (byId.get(attempt.providerRequestId) ?? []).filter((request) => unmatched.has(request));
    if (!take(attempt, named.find(isSameModel(attempt)) ?? named[0]))
      matches.push({ billed: undefined, attempt });
    return false;
  });
  const sendsIds = matches.some(({ attempt, billed: request }) => request?.clientId === attempt?.requestId);
  const unnamed = withoutId.filter((attempt) => {
    const sent = (byClientId.get(attempt.requestId) ?? []).filter((request) => unmatched.has(request));
    const distance = (request: BilledRequest) => Math.abs(request.startTimeMs - attempt.startedAtMs);
    return !take(attempt, sent.toSorted((one, other) => distance(one) - distance(other))[0]);
  });
  // If the bill has the gateway's request ids, requests without one did not pass the gateway.
  const left = sendsIds ? unnamed : matchByTime(unnamed, [...unmatched], { isSameModel, credentials, take });
  for (const attempt of left) matches.push({ billed: undefined, attempt });
  for (const request of unmatched) matches.push({ billed: request, attempt: undefined });
  return matches;
}

interface TimeMatching {
  isSameModel: (attempt: GatewayAttempt) => (request: BilledRequest) => boolean;
  credentials: ProviderNames['credentials'];
  take: (attempt: GatewayAttempt, request: BilledRequest) => boolean;
}

/** Matches attempts by time, the closest starts first. @returns attempts without a match */
function matchByTime(
  attempts: readonly GatewayAttempt[],
  unmatched: readonly BilledRequest[],
  { credentials = new Map(), isSameModel, take }: TimeMatching,
): GatewayAttempt[] {
  const sorted = unmatched.toSorted((one, other) => one.startTimeMs - other.startTimeMs);
  const isSameCredential = (attempt: GatewayAttempt, { credential }: BilledRequest) =>
    credential === null || credentials.size === 0 || credentials.get(credential) === attempt.credential;
  const pairs = attempts.filter(isBillable).flatMap((attempt) => {
    const near = startedBetween(sorted, attempt.startedAtMs - SKEW_MS, attempt.endedAtMs + SKEW_MS);
    return near
      .filter((request) => isSameModel(attempt)(request) && isSameCredential(attempt, request))
      .map((request) => ({
        attempt,
        request,
        distance: Math.abs(request.startTimeMs - attempt.startedAtMs),
      }));
  });
  const taken = new Set<GatewayAttempt | BilledRequest>();
  for (const { attempt, request } of pairs.toSorted((one, other) => one.distance - other.distance)) {
    if (taken.has(attempt) || taken.has(request)) continue;
    taken.add(attempt).add(request);
    take(attempt, request);
  }
  return attempts.filter((attempt) => !taken.has(attempt));
}

/** Returns the requests that start from `fromMs` to `toMs`. @param sorted by their starts */
function startedBetween(sorted: readonly BilledRequest[], fromMs: number, toMs: number): BilledRequest[] {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.startTimeMs ?? 0) < fromMs) low = middle + 1;
    else high = middle;
  }
  const near: BilledRequest[] = [];
  for (let index = low; index < sorted.length; index++) {
    const request = sorted[index];
    if (request === undefined || request.startTimeMs > toMs) break;
    near.push(request);
  }
  return near;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string | null): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

import type { UnitCounts } from '@model-gateway/provider-bills';
import { UNITS, utcDay } from '@model-gateway/shared';
import type { BilledRequest } from './billed-requests.ts';
import { type Ending, type GatewayAttempt, isBillable } from './gateway-attempt.ts';
import { type Match, matchRequests } from './match-requests.ts';
import { ModelNames, type ProviderNames } from './names.ts';
import { type Cause, type Measure, type Report, ReportBuilder } from './report.ts';

export interface Period {
  /** Inclusive, Unix milliseconds. */
  fromMs: number;
  /** Exclusive. */
  toMs: number;
}

/** The most that rounding to a nano-USD on both sides changes the cost of a request. */
const MAX_ROUNDING = 1n;
/** The form of the gateway's request ids. */
const GATEWAY_ID = /^req_[0-9A-Za-z]{24}$/;

export const CAUSE_OF_ENDING: Readonly<Record<Ending, Cause>> = {
  completed: 'unexplained',
  aborted: 'aborted_streams',
  estimated: 'estimated_usage',
  crashed: 'crashed',
  timed_out: 'timed_out_attempts',
  retried: 'retried_attempts',
};

/**
 * Compares a bill that lists each request. Every difference gets exactly one cause.
 * @param attempts in several pages only for an empty bill, of which nothing can be matched
 */
export async function compareRequests(
  billed: readonly BilledRequest[],
  attempts: AsyncIterable<readonly GatewayAttempt[]>,
  names: ProviderNames,
  period: Period,
): Promise<Report> {
  const models = new ModelNames(names);
  const builder = new ReportBuilder();
  const hasMoney = billed.length === 0 || billed.some(({ cost }) => cost !== null);
  const isIn = (timeMs: number | undefined) =>
    timeMs !== undefined && timeMs >= period.fromMs && timeMs < period.toMs;

  const compare = ({ attempt, billed: request }: Match, variables: ReadonlyMap<string, string>) => {
    const isBilledHere = isIn(request?.startTimeMs);
    const isCountedHere = isIn(attempt?.requestEndedAtMs);
    if (!isBilledHere && !isCountedHere) return;
    if (request === undefined && attempt !== undefined && !isBillable(attempt)) return;
    const model =
      request === undefined ? models.nameOf(attempt?.modelId ?? '') : models.nameOfBilled(request.model);
    const credential = attempt?.credential ?? variableOf(request?.credential ?? null, variables);
    const causes = causesOf({ attempt, billed: request }, period);
    const [billedDay, countedDay] = [request?.startTimeMs ?? 0, attempt?.requestEndedAtMs ?? 0].map(utcDay);
    const isCountedOnOtherDay =
      request !== undefined &&
      attempt !== undefined &&
      (billedDay !== countedDay || isBilledHere !== isCountedHere);
    const ids = [attempt?.requestId ?? request?.id ?? ''];
    for (const [measure, provider, gateway] of measuresOf(request, attempt, hasMoney)) {
      const at = (day = '') => builder.row({ day, model, credential, measure });
      const cause = measure === 'usd' ? causes.money : causes.units;
      if (isBilledHere) {
        const row = at(billedDay);
        row.provider += provider;
        if (isCountedOnOtherDay) builder.explain(row, 'time_boundary', gateway, ids);
        builder.explain(
          row,
          cause,
          isCountedOnOtherDay || isCountedHere ? provider - gateway : provider,
          ids,
        );
      }
      if (!isCountedHere) continue;
      const row = at(countedDay);
      row.gateway += gateway;
      if (isCountedOnOtherDay) builder.explain(row, 'time_boundary', -gateway, ids);
      else if (!isBilledHere) builder.explain(row, cause, -gateway, ids);
    }
    const money = {
      provider: isBilledHere ? (request?.cost ?? 0n) : 0n,
      gateway: isCountedHere ? (attempt?.cost ?? 0n) : 0n,
    };
    if (isCountedOnOtherDay) builder.count('time_boundary', ids, money);
    // A completed request is counted only if its units differ, or under the cause of its price or rounding.
    for (const cause of new Set([causes.units, causes.money]))
      if (cause !== 'unexplained' || differs(request, attempt)) builder.count(cause, ids, money);
  };
  for await (const page of attempts) {
    const matches = matchRequests(billed, page, models, names.credentials);
    const variables = learnCredentials(matches, names.credentials);
    for (const pair of matches) compare(pair, variables);
  }
  return builder.build('requests');
}

/** Returns the cause of a difference in units, and of one in money. */
function causesOf({ attempt, billed }: Match, { fromMs }: Period): { units: Cause; money: Cause } {
  const both = (cause: Cause) => ({ units: cause, money: cause });
  if (attempt === undefined)
    return both(GATEWAY_ID.test(billed?.clientId ?? '') ? 'crashed' : 'not_through_gateway');
  const cause = CAUSE_OF_ENDING[attempt.ending];
  if (billed === undefined) {
    if (attempt.startedAtMs < fromMs) return both('time_boundary');
    const isUnused = attempt.ending === 'timed_out' || attempt.ending === 'retried';
    return both(isUnused ? cause : 'not_billed');
  }
  if (!hasSameUnits(billed.units, attempt.units)) return both(cause);
  const difference = (billed.cost ?? attempt.cost) - attempt.cost;
  if (difference === 0n) return both(cause);
  if (difference >= -MAX_ROUNDING && difference <= MAX_ROUNDING) return { units: cause, money: 'rounding' };
  return { units: cause, money: attempt.unpriced.length > 0 ? 'unpriced_units' : 'price_difference' };
}

/** Returns the amounts of both sides: requests, units and money. */
function measuresOf(
  billed: BilledRequest | undefined,
  attempt: GatewayAttempt | undefined,
  hasMoney: boolean,
): [measure: Measure, provider: bigint, gateway: bigint][] {
  const requests: [Measure, bigint, bigint] = [
    'requests',
    billed === undefined ? 0n : 1n,
    attempt !== undefined && isBillable(attempt) ? 1n : 0n,
  ];
  const units = UNITS.flatMap(({ unit }): [Measure, bigint, bigint][] => {
    const [provider = 0n, gateway = 0n] = [billed?.units[unit], attempt?.units[unit]];
    return provider === 0n && gateway === 0n ? [] : [[unit, provider, gateway]];
  });
  const money: [Measure, bigint, bigint] = ['usd', billed?.cost ?? 0n, attempt?.cost ?? 0n];
  return hasMoney ? [requests, ...units, money] : [requests, ...units];
}

function hasSameUnits(one: UnitCounts, other: UnitCounts): boolean {
  return UNITS.every(({ unit }) => (one[unit] ?? 0n) === (other[unit] ?? 0n));
}

function differs(billed: BilledRequest | undefined, attempt: GatewayAttempt | undefined): boolean {
  return !hasSameUnits(billed?.units ?? {}, attempt?.units ?? {});
}

/** Adds the credentials of matched requests to the given ones. @returns variables by the provider's ids */
function learnCredentials(
  matches: readonly Match[],
  given: ProviderNames['credentials'] = new Map(),
): ReadonlyMap<string, string> {
  const variables = new Map(given);
  for (const { attempt, billed } of matches) {
    const [id, variable] = [billed?.credential ?? null, attempt?.credential ?? null];
    if (id !== null && variable !== null && !variables.has(id)) variables.set(id, variable);
  }
  return variables;
}

function variableOf(credential: string | null, variables: ReadonlyMap<string, string>): string | null {
  return credential === null ? null : (variables.get(credential) ?? credential);
}

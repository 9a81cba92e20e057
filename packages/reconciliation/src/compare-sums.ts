import type { BillLine, BillPart, UnitCounts } from '@model-gateway/provider-bills';
import { type Unit, utcDay } from '@model-gateway/shared';
import { CAUSE_OF_ENDING, type Period } from './compare-requests.ts';
import { type Ending, type GatewayAttempt, isBillable } from './gateway-attempt.ts';
import { ModelNames, type ProviderNames } from './names.ts';
import {
  type Cause,
  type Measure,
  type Report,
  ReportBuilder,
  type ReportRow,
  type RowKey,
} from './report.ts';

/** A row of the report, with the lines and attempts that explain its difference. */
interface Group {
  row: ReportRow;
  /** Lines of the bill. Each may be rounded. */
  lines: number;
  /** Attempts that the gateway counts on this day. */
  requests: number;
  /** Attempts of `requests` that the provider must have billed on this day. */
  minBilled: number;
  /** The highest amount of an attempt. */
  largest: bigint;
  /** Attempts of `requests` whose amount may differ: estimated, past midnight, or with unpriced units. */
  uncertain: GatewayAttempt[];
  /** Attempts that began on this day, and that the gateway counts on a later one. */
  endedLater: GatewayAttempt[];
}

/** The part of a difference that a cause can explain. */
interface Bounds {
  cause: Cause;
  /** Lowest and highest amount; null: any amount. */
  low: bigint | null;
  high: bigint | null;
  attempts: readonly GatewayAttempt[];
  /** Number of requests; left out: one for each of `attempts`. */
  requests?: number;
}

/** Endings whose usage is estimated, in the order in which they explain a difference. */
const ESTIMATES: readonly Ending[] = ['aborted', 'timed_out', 'retried', 'crashed', 'estimated'];
const OUTPUT: readonly Unit[] = ['outputTokens', 'audioOutputTokens', 'imageOutputTokens'];

/**
 * Compares a bill of sums, day by day. Every cause explains at most what it can (docs/prices.md), in a fixed
 * order; the rest is `unexplained`.
 */
export async function compareSums(
  parts: readonly BillPart[],
  attempts: AsyncIterable<readonly GatewayAttempt[]>,
  names: ProviderNames,
  period: Period,
): Promise<Report> {
  const builder = new ReportBuilder();
  const groups = new Groups(builder, names, parts, period);
  for (const { format, lines } of parts) for (const line of lines) groups.addLine(line, format.has);
  for await (const page of attempts) {
    for (const attempt of page) {
      if (!isBillable(attempt)) continue;
      groups.addAttempt(attempt);
      countAttempt(builder, attempt, period);
    }
  }
  for (const group of groups.all) explainGroup(builder, group, groups);
  return builder.build('sums');
}

class Groups {
  readonly #builder: ReportBuilder;
  readonly #models: ModelNames;
  readonly #credentials: ReadonlyMap<string, string>;
  readonly #period: Period;
  readonly #groups = new Map<ReportRow, Group>();
  /** True: the bill splits usage, or money, by credential, and the variables of credentials are known. */
  readonly #byCredential: { usage: boolean; usd: boolean };
  readonly #hasUsage: boolean;
  readonly #hasRequests: boolean;
  readonly #units = new Set<Unit>();
  readonly #hasMoney: boolean;

  constructor(builder: ReportBuilder, names: ProviderNames, parts: readonly BillPart[], period: Period) {
    const lines = parts.flatMap((part) => part.lines);
    this.#builder = builder;
    this.#models = new ModelNames(names);
    this.#credentials = names.credentials ?? new Map();
    this.#period = period;
    this.#hasUsage = parts.some(({ format }) => format.has !== 'cost');
    this.#hasRequests = lines.some(({ requests }) => requests !== null);
    this.#hasMoney = lines.some(({ costNanoUsd }) => costNanoUsd !== null);
    const isNamed = (of: (line: BillLine) => boolean) =>
      this.#credentials.size > 0 && lines.filter(of).every(({ credential }) => credential !== null);
    this.#byCredential = {
      usage: isNamed(({ quantity, unit }) => quantity !== null && unit !== null),
      usd: isNamed(({ costNanoUsd }) => costNanoUsd !== null),
    };
    for (const { quantity, unit } of lines)
      if (unit !== null && unit !== 'requests' && quantity !== null) this.#units.add(unit);
  }

  get all(): Iterable<Group> {
    return this.#groups.values();
  }

  /** Adds a line of the bill. @param has a report of costs adds usage only if there is no report of usage */
  addLine(line: BillLine, has: BillPart['format']['has']): void {
    const { costNanoUsd, quantity, startTimeMs, unit } = line;
    if (!this.#isIn(startTimeMs)) return;
    const model = this.#models.nameOfBilled(line.model);
    const add = (measure: Measure, amount: bigint) => {
      const group = this.#group({
        day: line.day,
        model,
        credential: this.#variableOf(line.credential, measure),
        measure,
      });
      group.row.provider += amount;
      group.lines += 1;
    };
    const isUsage = has !== 'cost' || !this.#hasUsage;
    if (isUsage && unit !== null && typeof quantity === 'bigint') add(unit, quantity);
    if (costNanoUsd !== null) add('usd', costNanoUsd);
  }

  /** Adds an attempt to the rows of the days on which it began and on which the gateway counts it. */
  addAttempt(attempt: GatewayAttempt): void {
    const { requestEndedAtMs, startedAtMs } = attempt;
    const [startDay, countedDay] = [utcDay(startedAtMs), utcDay(requestEndedAtMs)];
    for (const measure of this.#measures()) {
      const amount = amountOf(attempt, measure);
      if (amount === 0n && !isOutput(measure)) continue;
      if (this.#isIn(requestEndedAtMs)) {
        const group = this.#group(this.#keyOf(attempt, countedDay, measure));
        group.row.gateway += amount;
        group.requests += 1;
        if (amount > group.largest) group.largest = amount;
        if (isBilledOnDay(attempt)) group.minBilled += 1;
        if (attempt.ending !== 'completed' || endsOnLaterDay(attempt) || attempt.unpriced.length > 0)
          group.uncertain.push(attempt);
      }
      if (startDay !== countedDay && this.#isIn(startedAtMs))
        this.#group(this.#keyOf(attempt, startDay, measure)).endedLater.push(attempt);
    }
  }

  /** Returns the groups with the counts of requests of a row's day, model and credential. */
  requestCountsOf({ credential, day, model }: ReportRow): Group[] {
    return [...this.#groups.values()].filter(
      ({ row }) =>
        row.measure === 'requests' &&
        row.day === day &&
        row.model === model &&
        (credential === null || row.credential === credential),
    );
  }

  /** Returns the rows of units and requests of a row's day and model. */
  unitRowsOf(row: ReportRow): ReportRow[] {
    return [...this.#groups.keys()].filter(
      ({ day, measure, model }) => measure !== 'usd' && day === row.day && model === row.model,
    );
  }

  #measures(): Measure[] {
    return [
      ...(this.#hasRequests ? ['requests' as const] : []),
      ...this.#units,
      ...(this.#hasMoney ? ['usd' as const] : []),
    ];
  }

  #keyOf(attempt: GatewayAttempt, day: string, measure: Measure): RowKey {
    const isNamed = measure === 'usd' ? this.#byCredential.usd : this.#byCredential.usage;
    const credential = isNamed ? attempt.credential : null;
    return { day, model: this.#models.nameOf(attempt.modelId), credential, measure };
  }

  #variableOf(credential: string | null, measure: Measure): string | null {
    const isNamed = measure === 'usd' ? this.#byCredential.usd : this.#byCredential.usage;
    return isNamed && credential !== null ? (this.#credentials.get(credential) ?? credential) : null;
  }

  #group(key: RowKey): Group {
    const row = this.#builder.row(key);
    const known = this.#groups.get(row);
    if (known !== undefined) return known;
    const group = { row, lines: 0, requests: 0, minBilled: 0, largest: 0n, uncertain: [], endedLater: [] };
    this.#groups.set(row, group);
    return group;
  }

  #isIn(timeMs: number): boolean {
    return timeMs >= this.#period.fromMs && timeMs < this.#period.toMs;
  }
}

function explainGroup(builder: ReportBuilder, group: Group, groups: Groups): void {
  const { row } = group;
  let rest = row.provider - row.gateway;
  for (const { attempts, cause, high, low, requests } of causesOf(group, groups)) {
    const part = clamp(rest, low, high);
    builder.explain(row, cause, part, idsOf(attempts), requests ?? attempts.length);
    rest -= part;
  }
}

/** Returns the possible causes of a row's difference, in the order in which they explain it. */
function causesOf(group: Group, groups: Groups): Bounds[] {
  const { endedLater, requests, row, uncertain } = group;
  const { measure } = row;
  // Without any attempt, none of the row's usage came through the gateway.
  if (requests === 0 && endedLater.length === 0)
    return [
      {
        cause: 'not_through_gateway',
        low: 0n,
        high: null,
        attempts: [],
        requests: requestsIn(row, groups),
      },
    ];
  const causes: Bounds[] = [];
  if (measure === 'usd') {
    const sent = BigInt(requests + group.lines);
    causes.push({
      cause: 'rounding',
      low: -sent,
      high: BigInt(group.lines),
      attempts: [],
      requests: requests + endedLater.length,
    });
    const unpriced = uncertain.filter((attempt) => attempt.unpriced.length > 0);
    const sum = sumOf(unpriced, ({ cost }) => cost);
    if (unpriced.length > 0)
      causes.push({ cause: 'unpriced_units', low: -sum, high: sum, attempts: unpriced });
  }
  const moved = uncertain.filter(endsOnLaterDay);
  causes.push({
    cause: 'time_boundary',
    low: -sumOf(moved, (attempt) => amountOf(attempt, measure)),
    high: sumOf(endedLater, (attempt) => maxOf(attempt, measure)),
    attempts: [...moved, ...endedLater],
  });
  for (const ending of ESTIMATES) {
    const estimated = uncertain.filter((attempt) => attempt.ending === ending);
    causes.push({
      cause: CAUSE_OF_ENDING[ending],
      low: sumOf(estimated, (attempt) => minOf(attempt, measure) - amountOf(attempt, measure)),
      high: sumOf(estimated, (attempt) => maxOf(attempt, measure) - amountOf(attempt, measure)),
      attempts: estimated,
    });
  }
  return [...causes, ...unmatchedRequestsOf(group, groups), ...priceDifferenceOf(row, groups)];
}

/** Returns a cause for requests that only one side has, if the counts of requests prove any. */
function unmatchedRequestsOf(group: Group, groups: Groups): Bounds[] {
  const requests = groups.requestCountsOf(group.row);
  if (!requests.some(({ lines }) => lines > 0)) return [];
  const billed = sumOf(requests, ({ row }) => row.provider);
  const possible = sumOf(requests, (each) => BigInt(each.requests + each.endedLater.length));
  if (billed > possible) {
    const surplus = Number(billed - possible);
    return [{ cause: 'not_through_gateway', low: 0n, high: null, attempts: [], requests: surplus }];
  }
  const missing = sumOf(requests, ({ minBilled }) => BigInt(minBilled)) - billed;
  if (missing <= 0n) return [];
  const low = -missing * group.largest;
  return [{ cause: 'not_billed', low, high: 0n, attempts: [], requests: Number(missing) }];
}

/** Returns another price as the cause if both sides agree in all units of the model. */
function priceDifferenceOf(row: ReportRow, groups: Groups): Bounds[] {
  if (row.measure !== 'usd') return [];
  const units = groups.unitRowsOf(row);
  const isSame = units.length > 0 && units.every(({ gateway, provider }) => gateway === provider);
  return isSame ? [{ cause: 'price_difference', low: null, high: null, attempts: [] }] : [];
}

function requestsIn(row: ReportRow, groups: Groups): number {
  return Number(sumOf(groups.requestCountsOf(row), (group) => group.row.provider));
}

function countAttempt(builder: ReportBuilder, attempt: GatewayAttempt, { fromMs, toMs }: Period): void {
  const { cost, ending, requestEndedAtMs, requestId } = attempt;
  if (ending === 'completed' || requestEndedAtMs < fromMs || requestEndedAtMs >= toMs) return;
  builder.count(CAUSE_OF_ENDING[ending], [requestId], { provider: null, gateway: cost });
}

function endsOnLaterDay({ requestEndedAtMs, startedAtMs }: GatewayAttempt): boolean {
  return utcDay(startedAtMs) !== utcDay(requestEndedAtMs);
}

/** Returns false for an unused attempt, which may be free, and for one that another day may have. */
function isBilledOnDay(attempt: GatewayAttempt): boolean {
  return attempt.ending !== 'timed_out' && attempt.ending !== 'retried' && !endsOnLaterDay(attempt);
}

function amountOf(attempt: Pick<GatewayAttempt, 'cost' | 'units'>, measure: Measure): bigint {
  if (measure === 'usd') return attempt.cost;
  return measure === 'requests' ? 1n : (attempt.units[measure] ?? 0n);
}

/** Returns the lowest amount that the provider may have billed for an estimated attempt. */
function minOf({ ending, minCost }: GatewayAttempt, measure: Measure): bigint {
  if (measure === 'usd') return minCost;
  // An unused attempt may be free.
  return measure === 'requests' && ending !== 'timed_out' && ending !== 'retried' ? 1n : 0n;
}

/** Returns the highest amount that the provider may have billed: all that the reserved money pays for. */
function maxOf(attempt: GatewayAttempt, measure: Measure): bigint {
  const amount = amountOf(attempt, measure);
  if (measure === 'usd') return attempt.maxCost;
  if (measure === 'requests') return 1n;
  const further = attempt.maxOutputTokens - outputOf(attempt.units);
  return further > 0n ? amount + further : amount;
}

function outputOf(units: UnitCounts): bigint {
  return OUTPUT.reduce((sum, unit) => sum + (units[unit] ?? 0n), 0n);
}

function isOutput(measure: Measure): boolean {
  return OUTPUT.some((unit) => unit === measure);
}

function sumOf<Item>(items: readonly Item[], amount: (item: Item) => bigint): bigint {
  return items.reduce((sum, item) => sum + amount(item), 0n);
}

function clamp(value: bigint, low: bigint | null, high: bigint | null): bigint {
  if (low !== null && value < low) return low;
  return high !== null && value > high ? high : value;
}

function idsOf(attempts: readonly GatewayAttempt[]): string[] {
  return attempts.map(({ requestId }) => requestId);
}

import type { BillLine, BillPart, UnitCounts } from '@model-gateway/provider-bills';
import type { Unit } from '@model-gateway/shared';
import { CAUSES, type Period } from './compare-requests.ts';
import { type Ending, type GatewayAttempt, isBillable } from './gateway-attempt.ts';
import { ModelNames, type ProviderNames } from './names.ts';
import {
  type Difference,
  dayOf,
  type Measure,
  type Report,
  ReportBuilder,
  type ReportRow,
  type RowKey,
} from './report.ts';

/** Lines with the same names on one day, with all that bears on them. */
interface Group {
  row: ReportRow;
  /** Lines of the bill; each may be rounded. */
  lines: number;
  /** Attempts that the gateway counts to this day. */
  requests: number;
  /** Those of them that the provider bills on this day for sure. */
  sure: number;
  /** Highest amount of one. */
  largest: bigint;
  /** Those that may differ: estimated, over midnight, or with unpriced units. All others are only summed. */
  unsure: GatewayAttempt[];
  /** Attempts that began on this day, but that the gateway counts to a later one. */
  begun: GatewayAttempt[];
}

/** How much of a difference a cause can explain: from `low` to `high`; null: any amount. */
interface Bounds {
  difference: Difference;
  low: bigint | null;
  high: bigint | null;
  attempts: readonly GatewayAttempt[];
  /** Where more or other requests than `attempts`. */
  requests?: number;
}

/** In the order in which they explain a difference. */
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
  /** By row. */
  readonly #groups = new Map<ReportRow, Group>();
  /** True: each line with this has the credential of a known variable, or of somebody else. */
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

  /** @param has usage counts from reports of costs only if there is no report of usage */
  addLine(line: BillLine, has: BillPart['format']['has']): void {
    const { costNanoUsd, quantity, startTimeMs, unit } = line;
    if (!this.#isIn(startTimeMs)) return;
    const model = this.#models.ofBill(line.model);
    const add = (measure: Measure, amount: bigint) => {
      const group = this.#group({
        day: line.day,
        model,
        credential: this.#billedTo(line.credential, measure),
        measure,
      });
      group.row.provider += amount;
      group.lines += 1;
    };
    const isUsage = has !== 'cost' || !this.#hasUsage;
    if (isUsage && unit !== null && typeof quantity === 'bigint') add(unit, quantity);
    if (costNanoUsd !== null) add('usd', costNanoUsd);
  }

  addAttempt(attempt: GatewayAttempt): void {
    const { requestEndedAtMs, startedAtMs } = attempt;
    const [begunOn, countedOn] = [dayOf(startedAtMs), dayOf(requestEndedAtMs)];
    for (const measure of this.#measures()) {
      const amount = amountOf(attempt, measure);
      if (amount === 0n && !isOutput(measure)) continue;
      if (this.#isIn(requestEndedAtMs)) {
        const group = this.#group(this.#keyOf(attempt, countedOn, measure));
        group.row.gateway += amount;
        group.requests += 1;
        if (amount > group.largest) group.largest = amount;
        if (isSure(attempt)) group.sure += 1;
        if (attempt.ending !== 'completed' || isMoved(attempt) || attempt.unpriced.length > 0)
          group.unsure.push(attempt);
      }
      if (begunOn !== countedOn && this.#isIn(startedAtMs))
        this.#group(this.#keyOf(attempt, begunOn, measure)).begun.push(attempt);
    }
  }

  /** Returns the groups that count the requests of a row. */
  requestsOf({ credential, day, model }: ReportRow): Group[] {
    return [...this.#groups.values()].filter(
      ({ row }) =>
        row.measure === 'requests' &&
        row.day === day &&
        row.model === model &&
        (credential === null || row.credential === credential),
    );
  }

  /** Returns the unit rows with the same names. */
  unitsBeside(row: ReportRow): ReportRow[] {
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
    return { day, model: this.#models.ofGateway(attempt.modelId), credential, measure };
  }

  #billedTo(credential: string | null, measure: Measure): string | null {
    const isNamed = measure === 'usd' ? this.#byCredential.usd : this.#byCredential.usage;
    return isNamed && credential !== null ? (this.#credentials.get(credential) ?? credential) : null;
  }

  #group(key: RowKey): Group {
    const row = this.#builder.row(key);
    const known = this.#groups.get(row);
    if (known !== undefined) return known;
    const group = { row, lines: 0, requests: 0, sure: 0, largest: 0n, unsure: [], begun: [] };
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
  for (const { attempts, difference, high, low, requests } of causesOf(group, groups)) {
    const part = clamp(rest, low, high);
    builder.explain(row, difference, part, idsOf(attempts), requests ?? attempts.length);
    rest -= part;
  }
}

/** Returns what can explain the difference of a row, in the order in which it does. */
function causesOf(group: Group, groups: Groups): Bounds[] {
  const { begun, requests, row, unsure } = group;
  const { measure } = row;
  // A row without any attempt is somebody else's use of the provider.
  if (requests === 0 && begun.length === 0)
    return [
      {
        difference: 'not_through_gateway',
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
      difference: 'rounding',
      low: -sent,
      high: BigInt(group.lines),
      attempts: [],
      requests: requests + begun.length,
    });
    const unpriced = unsure.filter((attempt) => attempt.unpriced.length > 0);
    const sum = sumOf(unpriced, ({ cost }) => cost);
    if (unpriced.length > 0)
      causes.push({ difference: 'unpriced_units', low: -sum, high: sum, attempts: unpriced });
  }
  const moved = unsure.filter(isMoved);
  causes.push({
    difference: 'time_boundary',
    low: -sumOf(moved, (attempt) => amountOf(attempt, measure)),
    high: sumOf(begun, (attempt) => maxOf(attempt, measure)),
    attempts: [...moved, ...begun],
  });
  for (const ending of ESTIMATES) {
    const estimated = unsure.filter((attempt) => attempt.ending === ending);
    causes.push({
      difference: CAUSES[ending],
      low: sumOf(estimated, (attempt) => minOf(attempt, measure) - amountOf(attempt, measure)),
      high: sumOf(estimated, (attempt) => maxOf(attempt, measure) - amountOf(attempt, measure)),
      attempts: estimated,
    });
  }
  return [...causes, ...surplusOf(group, groups), ...pricesOf(row, groups)];
}

/** Requests that only one side has, as far as counts of requests prove them. */
function surplusOf(group: Group, groups: Groups): Bounds[] {
  const requests = groups.requestsOf(group.row);
  if (!requests.some(({ lines }) => lines > 0)) return [];
  const billed = sumOf(requests, ({ row }) => row.provider);
  const possible = sumOf(requests, (each) => BigInt(each.requests + each.begun.length));
  if (billed > possible) {
    const surplus = Number(billed - possible);
    return [{ difference: 'not_through_gateway', low: 0n, high: null, attempts: [], requests: surplus }];
  }
  const missing = sumOf(requests, ({ sure }) => BigInt(sure)) - billed;
  if (missing <= 0n) return [];
  const low = -missing * group.largest;
  return [{ difference: 'not_billed', low, high: 0n, attempts: [], requests: Number(missing) }];
}

/** The same units for another sum of money have another price. */
function pricesOf(row: ReportRow, groups: Groups): Bounds[] {
  if (row.measure !== 'usd') return [];
  const units = groups.unitsBeside(row);
  const isSame = units.length > 0 && units.every(({ gateway, provider }) => gateway === provider);
  return isSame ? [{ difference: 'price_difference', low: null, high: null, attempts: [] }] : [];
}

function requestsIn(row: ReportRow, groups: Groups): number {
  return Number(sumOf(groups.requestsOf(row), (group) => group.row.provider));
}

function countAttempt(builder: ReportBuilder, attempt: GatewayAttempt, { fromMs, toMs }: Period): void {
  const { cost, ending, requestEndedAtMs, requestId } = attempt;
  if (ending === 'completed' || requestEndedAtMs < fromMs || requestEndedAtMs >= toMs) return;
  builder.count(CAUSES[ending], [requestId], { provider: null, gateway: cost });
}

function isMoved({ requestEndedAtMs, startedAtMs }: GatewayAttempt): boolean {
  return dayOf(startedAtMs) !== dayOf(requestEndedAtMs);
}

/** An unused attempt may be free, and one over midnight is billed on another day. */
function isSure(attempt: GatewayAttempt): boolean {
  return attempt.ending !== 'timed_out' && attempt.ending !== 'retried' && !isMoved(attempt);
}

function amountOf(attempt: Pick<GatewayAttempt, 'cost' | 'units'>, measure: Measure): bigint {
  if (measure === 'usd') return attempt.cost;
  return measure === 'requests' ? 1n : (attempt.units[measure] ?? 0n);
}

/** What the provider may have billed at least for an attempt that has an estimate. */
function minOf({ ending, minCost }: GatewayAttempt, measure: Measure): bigint {
  if (measure === 'usd') return minCost;
  // An unused attempt may be free.
  return measure === 'requests' && ending !== 'timed_out' && ending !== 'retried' ? 1n : 0n;
}

/** At most: for every unit, what the money reserved for the request pays for. */
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

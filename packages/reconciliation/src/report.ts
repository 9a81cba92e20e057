import type { BillUnit } from '@model-gateway/provider-bills';

/** Causes of a difference between a bill and the gateway's records (docs/prices.md). */
export const CAUSES = [
  'rounding',
  'unpriced_units',
  'price_difference',
  'aborted_streams',
  'timed_out_attempts',
  'retried_attempts',
  'crashed',
  'estimated_usage',
  'time_boundary',
  'not_through_gateway',
  'not_billed',
  'unexplained',
] as const;
export type Cause = (typeof CAUSES)[number];

/** The amount that a row compares: a unit, requests, or money in nano-USD. */
export type Measure = BillUnit | 'usd';

/** The part of a row's difference with one cause. */
export interface Explanation {
  cause: Cause;
  /** Provider minus gateway, in the measure of the row. */
  amount: bigint;
  requests: number;
  /** At most 100 ids: the gateway's, or the provider's if the gateway has no record. */
  requestIds: string[];
}

export interface ReportRow {
  day: string;
  /** The provider's name of the model; null: the bill names none. */
  model: string | null;
  /** Variable of the credential, or the provider's name of an unknown one; null: all together. */
  credential: string | null;
  measure: Measure;
  provider: bigint;
  gateway: bigint;
  explanations: Explanation[];
}

/** All requests with one cause. Money is nano-USD. */
export interface CauseTotal {
  cause: Cause;
  requests: number;
  /** Billed for these requests; null: the bill has only sums. */
  provider: bigint | null;
  gateway: bigint;
  /** Sum of the differences with this cause: provider minus gateway. */
  amount: bigint;
  requestIds: string[];
}

export interface Report {
  /** `requests`: each request was matched. `sums`: the bill has only sums. */
  mode: 'requests' | 'sums';
  rows: ReportRow[];
  totals: CauseTotal[];
}

const MAX_IDS = 100;

export type RowKey = Pick<ReportRow, 'day' | 'model' | 'credential' | 'measure'>;

/** Collects rows and explanations. `build` adds `unexplained` for the rest of each row's difference. */
export class ReportBuilder {
  readonly #rows = new Map<string, ReportRow>();
  readonly #totals = new Map<Cause, CauseTotal>();

  row({ credential, day, measure, model }: RowKey): ReportRow {
    const key = JSON.stringify([day, model, credential, measure]);
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = { day, model, credential, measure, provider: 0n, gateway: 0n, explanations: [] };
    this.#rows.set(key, row);
    return row;
  }

  get rows(): Iterable<ReportRow> {
    return this.#rows.values();
  }

  /** Explains a part of a row's difference. @param ids requests that cause it */
  explain(row: ReportRow, cause: Cause, amount: bigint, ids: readonly string[], requests = ids.length): void {
    if (amount === 0n) return;
    let found = row.explanations.find((each) => each.cause === cause);
    if (found === undefined) {
      found = { cause, amount: 0n, requests: 0, requestIds: [] };
      row.explanations.push(found);
    }
    found.amount += amount;
    found.requests += requests;
    addIds(found.requestIds, ids);
    if (row.measure === 'usd') this.#total(cause).amount += amount;
  }

  /** Counts requests with a cause, also those whose amounts agree. */
  count(
    cause: Cause,
    ids: readonly string[],
    money: { provider: bigint | null; gateway: bigint },
    requests = ids.length,
  ): void {
    const total = this.#total(cause);
    total.requests += requests;
    total.gateway += money.gateway;
    total.provider =
      money.provider === null || total.provider === null ? null : total.provider + money.provider;
    addIds(total.requestIds, ids);
  }

  build(mode: Report['mode']): Report {
    for (const row of this.#rows.values()) {
      const explained = row.explanations.reduce((sum, { amount }) => sum + amount, 0n);
      this.explain(row, 'unexplained', row.provider - row.gateway - explained, []);
      row.explanations.sort((one, other) => orderOf(one) - orderOf(other));
    }
    const rows = [...this.#rows.values()].filter((row) => row.provider !== 0n || row.gateway !== 0n);
    return {
      mode,
      rows: rows.toSorted((one, other) => compare(sortKey(one), sortKey(other))),
      totals: [...this.#totals.values()].toSorted((one, other) => orderOf(one) - orderOf(other)),
    };
  }

  #total(cause: Cause): CauseTotal {
    const known = this.#totals.get(cause);
    if (known !== undefined) return known;
    const total = { cause, requests: 0, provider: 0n, gateway: 0n, amount: 0n, requestIds: [] };
    this.#totals.set(cause, total);
    return total;
  }
}

function addIds(ids: string[], more: readonly string[]): void {
  for (const id of more) if (ids.length < MAX_IDS) ids.push(id);
}

function orderOf({ cause }: { cause: Cause }): number {
  return CAUSES.indexOf(cause);
}

function sortKey({ credential, day, measure, model }: ReportRow): string {
  return JSON.stringify([day, model ?? '', credential ?? '', measure]);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

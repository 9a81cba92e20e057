import type { BillUnit } from '@model-gateway/provider-bills';

/** What explains a difference between a bill and the gateway's records (docs/prices.md). */
export const DIFFERENCES = [
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
export type Difference = (typeof DIFFERENCES)[number];

/** What a row counts: a unit, requests, or money in nano-USD. */
export type Measure = BillUnit | 'usd';

/** Part of a difference with one cause. `amount` is in the measure of its row: provider minus gateway. */
export interface Explanation {
  difference: Difference;
  amount: bigint;
  requests: number;
  /** At most 100: the gateway's, else the provider's. */
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
export interface DifferenceTotal {
  difference: Difference;
  requests: number;
  /** What the provider bills for them; null: a bill of sums does not tell. */
  provider: bigint | null;
  gateway: bigint;
  /** Sum of what they explain: provider minus gateway. */
  amount: bigint;
  requestIds: string[];
}

export interface Report {
  /** `requests`: each request was matched. `sums`: the bill has only sums. */
  mode: 'requests' | 'sums';
  rows: ReportRow[];
  totals: DifferenceTotal[];
}

const MAX_IDS = 100;
const DAY_MS = 86_400_000;

/** Day in UTC. */
export function dayOf(timeMs: number): string {
  return new Date(Math.floor(timeMs / DAY_MS) * DAY_MS).toISOString().slice(0, 10);
}

export type RowKey = Pick<ReportRow, 'day' | 'model' | 'credential' | 'measure'>;

/** Collects rows and explanations. Every difference that nothing explains is `unexplained` in the end. */
export class ReportBuilder {
  readonly #rows = new Map<string, ReportRow>();
  readonly #totals = new Map<Difference, DifferenceTotal>();

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

  /** @param ids requests whose difference this is, in this row */
  explain(
    row: ReportRow,
    difference: Difference,
    amount: bigint,
    ids: readonly string[],
    requests = ids.length,
  ): void {
    if (amount === 0n) return;
    let found = row.explanations.find((each) => each.difference === difference);
    if (found === undefined) {
      found = { difference, amount: 0n, requests: 0, requestIds: [] };
      row.explanations.push(found);
    }
    found.amount += amount;
    found.requests += requests;
    addIds(found.requestIds, ids);
    if (row.measure === 'usd') this.#total(difference).amount += amount;
  }

  /** Counts requests of a kind, also those without a difference. */
  count(
    difference: Difference,
    ids: readonly string[],
    money: { provider: bigint | null; gateway: bigint },
    requests = ids.length,
  ): void {
    const total = this.#total(difference);
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

  #total(difference: Difference): DifferenceTotal {
    const known = this.#totals.get(difference);
    if (known !== undefined) return known;
    const total = { difference, requests: 0, provider: 0n, gateway: 0n, amount: 0n, requestIds: [] };
    this.#totals.set(difference, total);
    return total;
  }
}

function addIds(ids: string[], more: readonly string[]): void {
  for (const id of more) if (ids.length < MAX_IDS) ids.push(id);
}

function orderOf({ difference }: { difference: Difference }): number {
  return DIFFERENCES.indexOf(difference);
}

function sortKey({ credential, day, measure, model }: ReportRow): string {
  return JSON.stringify([day, model ?? '', credential ?? '', measure]);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

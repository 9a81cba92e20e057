import { createHash } from 'node:crypto';
import { costsOf, type PriceTable, priceTable } from './price-table.ts';
import type { ServedUnit, ServedUnits, Vendor } from './served-work.ts';

/** The end of a request. `cut`: the provider ended the response early. `failed`: it sent an error. */
export type ServedState = 'completed' | 'aborted' | 'cut' | 'failed';

/** A request that is billed. */
export interface ServedRequest {
  vendor: Vendor;
  /** Unix milliseconds when it arrived. */
  timeMs: number;
  /** The id in the header of the response. */
  requestId: string;
  /** The client's `x-client-request-id` or `x-request-id`. */
  clientRequestId: string | null;
  model: string;
  /** A fingerprint of the API key, never the key. */
  keyId: string | null;
  serviceTier: string | null;
  isStreamed: boolean;
  state: ServedState;
  units: ServedUnits;
}

/** A request with its exact cost in femto-USD, by unit. */
export interface PricedRequest extends ServedRequest {
  costs: ReadonlyMap<ServedUnit, bigint>;
}

/** Remembers what was served, oldest first, as providers do for their bills. */
export class BillLedger {
  readonly #requests: ServedRequest[] = [];
  readonly #keep: number;
  #prices: PriceTable = {};
  /** Number of requests that were dropped, and that the bill lacks. */
  dropped = 0;

  /** @param keep maximum of requests; beyond it the oldest are dropped */
  constructor(keep: number) {
    this.#keep = keep;
  }

  add(request: ServedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length <= this.#keep) return;
    this.#requests.shift();
    this.dropped += 1;
  }

  /** Sets the prices of all requests, past ones too. @throws ZodError */
  setPrices(prices: PriceTable): void {
    this.#prices = priceTable.parse(prices);
  }

  /** Lists the requests from `fromMs` until before `toMs`. */
  billed(
    vendor: Vendor | undefined,
    fromMs = Number.NEGATIVE_INFINITY,
    toMs = Number.POSITIVE_INFINITY,
  ): PricedRequest[] {
    return this.#requests
      .filter(
        (one) => (vendor === undefined || one.vendor === vendor) && one.timeMs >= fromMs && one.timeMs < toMs,
      )
      .map((one) => ({ ...one, costs: costsOf(this.#prices, one) }));
  }

  clear(): void {
    this.#requests.length = 0;
    this.dropped = 0;
  }
}

/** Returns the id under which bills list a key. */
export function keyIdOf(key: string): string {
  return `key_${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

/** Groups requests by `keyOf`. */
export function groupRequests(
  requests: readonly PricedRequest[],
  keyOf: (request: PricedRequest) => string,
): PricedRequest[][] {
  return [...Map.groupBy(requests, keyOf).values()];
}

/** Adds up a unit. */
export function sumOf(requests: readonly PricedRequest[], unit: ServedUnit): number {
  return requests.reduce((sum, { units }) => sum + (units[unit] ?? 0), 0);
}

/** Adds up the cost of a unit in femto-USD. */
export function costOf(requests: readonly PricedRequest[], unit: ServedUnit): bigint {
  return requests.reduce((sum, { costs }) => sum + (costs.get(unit) ?? 0n), 0n);
}

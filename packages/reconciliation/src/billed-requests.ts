import type { BillLine, UnitCounts } from '@model-gateway/provider-bills';

/** A request in a bill. Money is nano-USD. */
export interface BilledRequest {
  id: string;
  /** The id that the gateway sent (`client_request_id`). */
  clientId: string | null;
  startTimeMs: number;
  model: string | null;
  credential: string | null;
  units: UnitCounts;
  /** Null: the bill has no money. */
  cost: bigint | null;
}

/** Collects the lines of each request and model. A bill may have one line per unit. */
export class BilledRequests {
  readonly #byId = new Map<string, BilledRequest>();

  add(line: BillLine): void {
    const { clientRequestId, costNanoUsd, model, quantity, requestId, startTimeMs, unit } = line;
    if (requestId === null) return;
    const key = `${requestId} ${model}`;
    let request = this.#byId.get(key);
    if (request === undefined) {
      const { credential } = line;
      request = {
        id: requestId,
        clientId: clientRequestId,
        startTimeMs,
        model,
        credential,
        units: {},
        cost: null,
      };
      this.#byId.set(key, request);
    }
    if (costNanoUsd !== null) request.cost = (request.cost ?? 0n) + costNanoUsd;
    if (unit === null || unit === 'requests' || typeof quantity !== 'bigint') return;
    request.units[unit] = (request.units[unit] ?? 0n) + quantity;
  }

  get all(): BilledRequest[] {
    return [...this.#byId.values()];
  }
}

import type { HttpResponse } from './http-client.ts';
import type { Fault, Plan, PlannedRequest } from './plan.ts';

/** Records what a client, an operator and the faults have done and seen in a run. */
export interface Observed {
  plan: Plan;
  /** Ended requests, in this order. */
  exchanges: {
    request: PlannedRequest;
    sentAtMs: number;
    endedAtMs: number;
    response: HttpResponse;
    /** Instance id of the data plane when the request was sent; undefined: none was up. */
    instanceId: string | undefined;
  }[];
  /** Revocations that succeeded. `unconfirmed`: the data planes that they named, by instance id. */
  revocations: { key: number; atMs: number; unconfirmed: string[] }[];
  faults: { fault: Fault; fromMs: number; untilMs: number }[];
}

import type { HttpAnswer } from './http-client.ts';
import type { Fault, Plan, PlannedRequest } from './plan.ts';

/** Everything that a run has seen from outside. */
export interface Observed {
  plan: Plan;
  /** Requests that have ended, in this order. */
  answers: {
    request: PlannedRequest;
    askedAtMs: number;
    endedAtMs: number;
    answer: HttpAnswer;
    /** Of the data plane, when the request was sent. */
    instanceId: string | undefined;
  }[];
  /** Revocations that were confirmed. */
  revoked: { key: number; atMs: number; unconfirmed: string[] }[];
  crashes: { name: string; atMs: number }[];
  faults: { fault: Fault; fromMs: number; untilMs: number }[];
}

import { randomUUID } from 'node:crypto';
import type { Admission, AdmissionRequest } from '../src/index.ts';

/** A request of one key with one limit, unless told otherwise. */
export function request(changes: Partial<AdmissionRequest> = {}): AdmissionRequest {
  return {
    requestId: randomUUID(),
    hashTag: 'key-1',
    policies: [{ name: 'key', bucket: 'free', limit: 3 }],
    ...changes,
  };
}

export function isAdmitted(admission: Admission): boolean {
  return admission.outcome === 'admitted';
}

/** A clock in microseconds that the test moves. */
export class ManualClock {
  now = 1_000_000_000_000_000;

  readonly read = (): number => this.now;

  advanceMs(milliseconds: number): void {
    this.now += milliseconds * 1_000;
  }
}

import { availableParallelism, loadavg } from 'node:os';
import type { Outcome } from './load.ts';

const LOAD_PER_CPU = 2;
const MAX_SHARE = 0.005;

/**
 * A key that is not cached is looked up within 250 ms, or the answer is 503. Where processes wait that long for a CPU,
 * because others use the machine, a few such answers say nothing about the gateway.
 */
export function excusedByLoad(wrong: readonly Outcome[], total: number): boolean {
  const [load = 0] = loadavg();
  const isBusy = load / availableParallelism() > LOAD_PER_CPU;
  const isLookUp = ({ status, code, hasRetryAfter }: Outcome) =>
    status === 503 && code === 'control_plane_unavailable' && hasRetryAfter;
  return isBusy && wrong.every(isLookUp) && wrong.length <= total * MAX_SHARE;
}

/** For the table, where something was excused. */
export function loadNote(wrong: readonly Outcome[]): string {
  return wrong.length === 0 ? '' : `; load ${loadavg()[0]?.toFixed(0)} on ${availableParallelism()} CPUs`;
}

import { mulberry32 } from './virtual-time.ts';
import { CONTROL_PLANES, DATA_PLANES, KEYS, type WorldSettings } from './world.ts';

/** Faults and requests begin in this time. */
export const BUSY_MS = 5_000;

export type Fault =
  | { kind: 'cut' | 'break'; from: string; to: string; isBothWays: boolean; forMs: number }
  | { kind: 'crash'; name: string; forMs: number }
  | { kind: 'clock'; name: string; stepMs: number };

export interface PlannedRequest {
  number: number;
  dataPlane: string;
  key: number;
  tokens: number;
  tookMs: number;
  ends: 'complete' | 'fail' | 'reset';
  isStreamed: boolean;
}

/** Has one of the three. */
export interface PlannedEvent {
  atMs: number;
  fault?: Fault;
  request?: PlannedRequest;
  /** The number of the key. */
  revoke?: number;
}

/** The settings and events of a run. */
export interface Plan extends WorldSettings {
  /** Money that the pool of the account includes. */
  poolUsd: string;
  events: PlannedEvent[];
}

/** Draws the plan of a seed, which is always the same. */
export function planOf(seed: number): Plan {
  const random = mulberry32(seed ^ 0x5eed);
  const below = (bound: number) => Math.floor(random() * bound);
  const oneOf = <Item>(items: readonly Item[]): Item => {
    const [item] = items.slice(below(items.length));
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  };
  const controlPlanes = 1 + below(2);
  const hasRedis = random() < 0.5;
  const planes = [...DATA_PLANES, ...CONTROL_PLANES.slice(0, controlPlanes)];
  const drawControlPlane = () => oneOf(CONTROL_PLANES.slice(0, controlPlanes));
  const requests = Array.from({ length: 8 + below(20) }, (_, index) => ({
    atMs: below(BUSY_MS),
    request: {
      number: index + 1,
      dataPlane: oneOf(DATA_PLANES),
      // Half of them with the key that is never revoked.
      key: random() < 0.5 ? KEYS - 1 : below(KEYS),
      tokens: 1 + below(1_000),
      tookMs: oneOf([5, 50, 500, 2_500]),
      ends: oneOf(['complete', 'complete', 'complete', 'complete', 'fail', 'reset'] as const),
      isStreamed: random() < 0.4,
    },
  }));
  const drawFault = (): Fault => {
    const forMs = oneOf([100, 1_000, 4_000, 8_000]);
    const kind = random();
    if (kind < 0.6) {
      const [one = '', other = ''] = oneOf([
        [oneOf(DATA_PLANES), drawControlPlane()],
        [oneOf(DATA_PLANES), drawControlPlane()],
        [drawControlPlane(), 'database'],
        ...(hasRedis ? [[oneOf([...DATA_PLANES, drawControlPlane()]), 'redis']] : []),
      ]);
      const [from, to] = random() < 0.5 ? [one, other] : [other, one];
      return { kind: random() < 0.5 ? 'cut' : 'break', from, to, isBothWays: random() < 0.5, forMs };
    }
    if (kind < 0.85) {
      const storage = hasRedis ? oneOf(['database', 'redis']) : 'database';
      return { kind: 'crash', name: random() < 0.2 ? storage : oneOf(planes), forMs };
    }
    const stepMs = oneOf([-3_600_000, -30_000, -2_000, 2_000, 30_000, 3_600_000]);
    const name = oneOf([...planes, 'database']);
    // Leases end by the clock of Postgres. Set back by an hour, it would hold the money of a crashed data
    // plane for longer than a run.
    return { kind: 'clock', name, stepMs: name === 'database' ? Math.max(stepMs, -30_000) : stepMs };
  };
  const faults = Array.from({ length: 1 + below(4) }, () => ({ atMs: below(BUSY_MS), fault: drawFault() }));
  const revocations = Array.from({ length: below(3) }, (_, key) => ({ atMs: below(BUSY_MS), revoke: key }));
  return {
    seed,
    controlPlanes,
    hasRedis,
    limit: oneOf([2, 5, 1_000]),
    settlement: oneOf(['background', 'acknowledged']),
    poolUsd: oneOf(['0.006', '0.02', '1']),
    events: [...requests, ...faults, ...revocations].sort((one, other) => one.atMs - other.atMs),
  };
}

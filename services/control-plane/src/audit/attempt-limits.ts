import { addressGroup } from '@model-gateway/service-kit';

export interface Attempt {
  /** Client's address; undefined when the control plane does not know it. */
  ip: string | undefined;
  accountId: string | null;
  /** Id of an authenticated caller; undefined: the caller is not authenticated. */
  provenId: string | undefined;
}

export const WINDOW_MS = 3_600_000;
/**
 * Limits of rows per hour. An IPv6 address counts as its /64. Authenticated callers have limits of their own,
 * which strangers cannot use up; many of them may share an office's address.
 */
export const BOUNDS = {
  stranger: { address: 30, account: 60, all: 300 },
  proven: { address: 600, account: 600, caller: 60 },
} as const;
/** Maximum of counters. Attempts that need a further one get no row. */
const MAX_COUNTERS = 50_000;

/**
 * Decides which sign-ins and denied attempts get a row of their own, so that nobody fills the disk. Counts
 * only those that get one, so that its memory is bounded as well.
 */
export class AttemptLimits {
  readonly #nowMs: () => number;
  #rows = new Map<string, number>();
  #startedAtMs = Number.NEGATIVE_INFINITY;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Returns true if the attempt may have a row; `take` counts it. */
  hasRoom(attempt: Attempt): boolean {
    const elapsedMs = this.#nowMs() - this.#startedAtMs;
    if (elapsedMs < 0 || elapsedMs >= WINDOW_MS) {
      this.#startedAtMs = this.#nowMs();
      this.#rows = new Map();
    }
    return countersOf(attempt).every(([name, max]) => {
      const count = this.#rows.get(name) ?? (this.#rows.size < MAX_COUNTERS ? 0 : max);
      return count < max;
    });
  }

  take(attempt: Attempt): void {
    for (const [name] of countersOf(attempt)) this.#rows.set(name, (this.#rows.get(name) ?? 0) + 1);
  }
}

function countersOf({ ip, accountId, provenId }: Attempt): [name: string, max: number][] {
  const kind = provenId === undefined ? 'stranger' : 'proven';
  const bounds = BOUNDS[kind];
  return [
    ...(ip === undefined
      ? []
      : [[`${kind} address ${addressGroup(ip)}`, bounds.address] as [string, number]]),
    ...(accountId === null ? [] : [[`${kind} account ${accountId}`, bounds.account] as [string, number]]),
    provenId === undefined
      ? ['strangers', BOUNDS.stranger.all]
      : [`caller ${provenId}`, BOUNDS.proven.caller],
  ];
}

import { addressGroup } from '@model-gateway/service-kit';

export interface Attempt {
  /** Client's address; undefined when the control plane does not know it. */
  ip: string | undefined;
  accountId: string | null;
  /** Id of the caller if it proved who it is; undefined: a stranger. */
  provenId: string | undefined;
}

export const WINDOW_MS = 3_600_000;
/**
 * Rows per hour. An address of IPv6 is its /64. Callers who proved who they are have bounds of their own, so
 * that strangers do not use them up, and one office may have many.
 */
export const BOUNDS = {
  stranger: { address: 30, account: 60, all: 300 },
  proven: { address: 600, account: 600, caller: 60 },
} as const;
/** Counters at once; attempts that need further ones get no row. */
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

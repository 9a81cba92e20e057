import { childrenOf, onCoreMsOf, titleOf } from '../processes/process-usage.ts';

/** The processes of Postgres by purpose. */
export const POSTGRES_KINDS = ['backends', 'WAL writer', 'checkpointer', 'autovacuum', 'others'] as const;
export type PostgresKind = (typeof POSTGRES_KINDS)[number];
/** Milliseconds on a core, of each kind. */
export type PostgresTimes = Record<PostgresKind, number>;

/** The database user of the benchmark's own queries, which do not count. */
export const OBSERVER = 'observer';

/** Processes of Postgres end at any time. What they used after the last sample is lost. */
const SAMPLE_MS = 50;

/** Measures the CPU time of the processes of a Postgres until it is disposed of. */
export class PostgresUsage implements Disposable {
  readonly #postmaster: number;
  readonly #seen = new Map<number, { kind: PostgresKind; ms: number }>();
  readonly #timer: NodeJS.Timeout;

  /** @param postmaster the first process, which started all others */
  constructor(postmaster: number) {
    this.#postmaster = postmaster;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  /** Returns the usage of all processes so far, ended ones included. */
  times(): PostgresTimes {
    this.#sample();
    const times = { backends: 0, 'WAL writer': 0, checkpointer: 0, autovacuum: 0, others: 0 };
    times.others += onCoreMsOf(this.#postmaster);
    for (const { kind, ms } of this.#seen.values()) times[kind] += ms;
    return times;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    for (const pid of childrenOf(this.#postmaster)) {
      // A new process has the title of its parent at first.
      const kind = kindOf(titleOf(pid));
      if (kind === undefined) continue;
      const ms = onCoreMsOf(pid);
      if (ms > 0) this.#seen.set(pid, { kind, ms });
    }
  }
}

/** @returns undefined for the benchmark's own connections and for processes without a title yet */
export function kindOf(title: string): PostgresKind | undefined {
  const [, rest] = /^postgres: (.*)$/.exec(title) ?? [];
  if (rest === undefined || rest.startsWith(`${OBSERVER} `)) return undefined;
  if (rest.startsWith('autovacuum')) return 'autovacuum';
  if (rest.startsWith('walwriter')) return 'WAL writer';
  if (rest.startsWith('checkpointer')) return 'checkpointer';
  // A client's title has user, database, address(port) and its command.
  return /^\S+ \S+ \S+\(\d+\) /.test(rest) ? 'backends' : 'others';
}

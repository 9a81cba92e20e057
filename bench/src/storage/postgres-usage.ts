import { childrenOf, onCoreMsOf, titleOf } from '../processes/process-usage.ts';

/** The processes of a Postgres by what they do. */
export const POSTGRES_KINDS = ['backends', 'WAL writer', 'checkpointer', 'autovacuum', 'others'] as const;
export type PostgresKind = (typeof POSTGRES_KINDS)[number];
/** Milliseconds on a core, of each kind. */
export type PostgresTimes = Record<PostgresKind, number>;

/** The database user whose queries are the benchmark's own, and count for nothing. */
export const OBSERVER = 'observer';

/** Processes of Postgres come and go: what one has used since it was last looked at is lost when it ends. */
const LOOK_MS = 50;

/** Watches what the processes of a Postgres use, for as long as it is not disposed of. */
export class PostgresUsage implements Disposable {
  readonly #postmaster: number;
  readonly #seen = new Map<number, { kind: PostgresKind; ms: number }>();
  readonly #timer: NodeJS.Timeout;

  /** @param postmaster the process that has started all others */
  constructor(postmaster: number) {
    this.#postmaster = postmaster;
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Returns the usage of all processes so far, ended ones included. */
  times(): PostgresTimes {
    this.#look();
    const times = { backends: 0, 'WAL writer': 0, checkpointer: 0, autovacuum: 0, others: 0 };
    times.others += onCoreMsOf(this.#postmaster);
    for (const { kind, ms } of this.#seen.values()) times[kind] += ms;
    return times;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    for (const pid of childrenOf(this.#postmaster)) {
      // A process has the title of its parent until it knows what it is.
      const kind = kindOf(titleOf(pid));
      if (kind === undefined) continue;
      const ms = onCoreMsOf(pid);
      if (ms > 0) this.#seen.set(pid, { kind, ms });
    }
  }
}

/** @returns undefined for the benchmark's own connections, and for what is no process of Postgres yet */
export function kindOf(title: string): PostgresKind | undefined {
  const [, rest] = /^postgres: (.*)$/.exec(title) ?? [];
  if (rest === undefined || rest.startsWith(`${OBSERVER} `)) return undefined;
  if (rest.startsWith('autovacuum')) return 'autovacuum';
  if (rest.startsWith('walwriter')) return 'WAL writer';
  if (rest.startsWith('checkpointer')) return 'checkpointer';
  // A client's title has user, database, address(port) and its command.
  return /^\S+ \S+ \S+\(\d+\) /.test(rest) ? 'backends' : 'others';
}

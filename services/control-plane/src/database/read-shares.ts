interface Share {
  running: number;
  waiting: (() => void)[];
}

/**
 * Limits the concurrent reads of each account, so that the pages and exports of one leave connections for
 * the others.
 */
export class ReadShares {
  readonly #max: number;
  /** By account; only those with reads. */
  readonly #shares = new Map<string, Share>();

  /** @param connections of all reads; an account takes at most half of them */
  constructor(connections: number) {
    this.#max = Math.max(1, Math.floor(connections / 2));
  }

  /** Runs a read when its account may have another one. @throws what `read` throws; the signal's reason */
  async run<Result>(accountId: string, signal: AbortSignal, read: () => Promise<Result>): Promise<Result> {
    const share = this.#shares.get(accountId) ?? { running: 0, waiting: [] };
    this.#shares.set(accountId, share);
    if (share.running < this.#max) share.running++;
    else await new Promise<void>((resolve) => share.waiting.push(resolve));
    try {
      signal.throwIfAborted();
      return await read();
    } finally {
      // The next read takes this place, and fails at once if its caller has left.
      const next = share.waiting.shift();
      if (next !== undefined) next();
      else if (--share.running === 0) this.#shares.delete(accountId);
    }
  }
}

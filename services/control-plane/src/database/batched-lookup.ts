import { inBackground } from '@model-gateway/service-kit';

const MAX_CONCURRENT = 2;
const MAX_BATCH = 500;

/**
 * Batches lookups: the first run at once, later ones wait for the next statement, so that every result is
 * newer than its call.
 */
export class BatchedLookup<Result> {
  readonly #find: (keys: string[]) => Promise<ReadonlyMap<string, Result>>;
  readonly #waiting = new Map<string, PromiseWithResolvers<Result>>();
  #running = 0;

  constructor(find: (keys: string[]) => Promise<ReadonlyMap<string, Result>>) {
    this.#find = find;
  }

  find(key: string): Promise<Result> {
    const waiting = this.#waiting.get(key) ?? Promise.withResolvers<Result>();
    this.#waiting.set(key, waiting);
    if (this.#running < MAX_CONCURRENT) inBackground(this.#run());
    return waiting.promise;
  }

  async #run(): Promise<void> {
    this.#running += 1;
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, MAX_BATCH);
      for (const [key] of batch) this.#waiting.delete(key);
      await this.#runBatch(batch);
    }
    this.#running -= 1;
  }

  async #runBatch(batch: readonly (readonly [string, PromiseWithResolvers<Result>])[]): Promise<void> {
    try {
      const results = await this.#find(batch.map(([key]) => key));
      for (const [key, { resolve, reject }] of batch) {
        const result = results.get(key);
        if (result === undefined) reject(new Error('a lookup has no result'));
        else resolve(result);
      }
    } catch (error) {
      for (const [, { reject }] of batch) reject(error);
    }
  }
}

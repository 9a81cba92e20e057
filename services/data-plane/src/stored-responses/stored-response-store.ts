import { type ExpiringValues, type NamedValue, TooManyBytes } from '@model-gateway/limits';
import { SlotQueue } from '@model-gateway/service-kit';
import { GatewayError } from '@model-gateway/shared';
import { storedResponsesUnavailable, storedResponseTooLong } from '@model-gateway/shared/errors';
import { MAX_STORED_BYTES } from './held-input.ts';
import { namedIds } from './output-items.ts';
import type { ResponseCipher } from './response-cipher.ts';
import { type FoundResponse, packed, type StoredResponse, unpacked } from './stored-response.ts';
import type { StoredResponseReports, StoreOutcome } from './stored-response-reports.ts';

export interface StoredResponseStoreOptions {
  values: ExpiringValues;
  cipher: ResponseCipher;
  reports: StoredResponseReports;
}

export interface Wanted {
  responseId?: string | undefined;
  itemIds: readonly string[];
}

export interface Found {
  response: FoundResponse | undefined;
  items: ReadonlyMap<string, Buffer>;
}

/** Maximum bytes of a response and of all items that a request names together. */
const MAX_READ_BYTES = 2 * MAX_STORED_BYTES;
/** Read bytes join a budget only once their length is known, so few reads run in parallel. */
const READS = { places: 8, maxWaiting: 1_000, maxWaitMs: 2_000 };

/** Stores encrypted responses in Redis. An account finds only its own. */
export class StoredResponseStore {
  readonly #values: ExpiringValues;
  readonly #cipher: ResponseCipher;
  readonly #reports: StoredResponseReports;
  readonly #reads = new SlotQueue(READS);

  constructor({ cipher, reports, values }: StoredResponseStoreOptions) {
    this.#values = values;
    this.#cipher = cipher;
    this.#reports = reports;
  }

  /** Stores a response, and its items by their ids. Never throws: the response goes out anyway. */
  async save(accountId: string, response: StoredResponse, requestId: string): Promise<void> {
    const cipher = this.#cipher.of(accountId);
    const value = (id: string, pieces: readonly Buffer[]): NamedValue => {
      const name = this.#values.nameOf(accountId, id);
      return { name, bytes: cipher.seal(pieces, name) };
    };
    const items = response.items.map(({ id, json }) => value(id, [json]));
    let outcome: StoreOutcome;
    let failure: unknown;
    try {
      outcome =
        (await this.#values.save(accountId, [value(response.id, packed(response)), ...items])) ?? 'kept';
    } catch (thrown) {
      outcome = 'redis_away';
      failure = thrown;
    }
    this.#reports.stored(outcome, requestId, failure);
  }

  /**
   * Reads everything that a request refers to with one command.
   * @param claimBytes called with the number of read bytes before the next read; throws without memory
   * @throws GatewayError 413 if it is too much; 503 if Redis does not respond
   */
  async find(
    accountId: string,
    { itemIds, responseId }: Wanted,
    claimBytes: (bytes: number) => void,
  ): Promise<Found> {
    const ids = responseId === undefined ? itemIds : [responseId, ...itemIds];
    if (ids.length === 0) return { response: undefined, items: new Map() };
    const names = ids.map((id) => this.#values.nameOf(accountId, id));
    const values = await this.#read(names, claimBytes);
    const cipher = this.#cipher.of(accountId);
    const found = new Map<string, Buffer>();
    for (const [index, id] of ids.entries()) {
      const sealed = values[index];
      const bytes = sealed && cipher.open(sealed, names[index] ?? '');
      const outcome = bytes === undefined ? 'unreadable' : 'found';
      this.#reports.read(sealed === undefined ? 'missing' : outcome, id);
      if (bytes !== undefined) found.set(id, bytes);
    }
    const response = responseId === undefined ? undefined : found.get(responseId);
    if (responseId !== undefined) found.delete(responseId);
    return { response: response && unpacked(response), items: found };
  }

  /** Deletes a response and its items. @throws GatewayError 503 if Redis does not respond */
  async remove(accountId: string, id: string, output: Buffer): Promise<void> {
    const ids = [id, ...namedIds(output)];
    try {
      await this.#values.remove(ids.map((each) => this.#values.nameOf(accountId, each)));
    } catch (cause) {
      throw storedResponsesUnavailable(cause);
    }
  }

  async #read(
    names: readonly string[],
    claimBytes: (bytes: number) => void,
  ): Promise<(Buffer | undefined)[]> {
    if (!(await this.#reads.enter())) throw storedResponsesUnavailable();
    try {
      const values = await this.#values.read(names, MAX_READ_BYTES);
      claimBytes(values.reduce((sum, value) => sum + (value?.length ?? 0), 0));
      return values;
    } catch (thrown) {
      if (thrown instanceof TooManyBytes) throw storedResponseTooLong(MAX_READ_BYTES);
      if (thrown instanceof GatewayError) throw thrown;
      this.#reports.read('redis_away', '');
      throw storedResponsesUnavailable(thrown);
    } finally {
      this.#reads.leave();
    }
  }
}

import { LinkedList, type ListEntry } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import { keyExpired, keyRevoked, shuttingDown } from '@model-gateway/shared/errors';
import type { KeyContext } from './key-context.ts';

export interface OpenKey {
  key: KeyContext;
  lookupHash: string;
}

export interface OpenRequest {
  /** True: a connection, which is no request itself. */
  isConnection?: true;
  record: { streamed: boolean; attempts: readonly { streamed: boolean }[] };
  stop: { readonly signal: { readonly aborted: boolean }; abort(reason: unknown): void };
}

interface OpenEntry<Request> extends OpenKey {
  exchanges: LinkedList<Request>;
  /** Timer that ends the requests when the key expires; undefined: never. */
  expiry: NodeJS.Timeout | undefined;
}

/** Node's timers are limited to 24 days, so a longer wait takes several timers. */
const MAX_TIMER_MS = 86_400_000;

export class OpenRequests<Request extends OpenRequest = OpenRequest> {
  readonly #byKey = new Map<string, OpenEntry<Request>>();

  get size(): number {
    let size = 0;
    for (const { isConnection } of this) if (isConnection !== true) size++;
    return size;
  }

  get streams(): number {
    let streams = 0;
    for (const request of this) if (isStreamed(request)) streams++;
    return streams;
  }

  *[Symbol.iterator](): Generator<Request, void> {
    for (const { exchanges } of this.#byKey.values()) yield* exchanges.items();
  }

  /** @returns a function that removes the request */
  add(key: KeyContext, lookupHash: string, exchange: Request): () => void {
    let entry = this.#byKey.get(key.keyId);
    if (entry === undefined) {
      entry = { key, lookupHash, exchanges: new LinkedList(), expiry: undefined };
      this.#byKey.set(key.keyId, entry);
      if (key.expiresAtMs !== undefined) this.expiryChanged(key.keyId, key.expiresAtMs);
    }
    const openKey = entry;
    const opened = openKey.exchanges.add(exchange);
    return () => this.#remove(openKey, opened);
  }

  #remove({ exchanges, expiry, key }: OpenEntry<Request>, opened: ListEntry<Request>): void {
    if (!exchanges.remove(opened) || exchanges.size > 0) return;
    clearTimeout(expiry);
    this.#byKey.delete(key.keyId);
  }

  /** Sets when the open requests of a key end. @param expiresAtMs Unix milliseconds; undefined: never */
  expiryChanged(keyId: string, expiresAtMs: number | undefined): void {
    const entry = this.#byKey.get(keyId);
    if (entry === undefined) return;
    clearTimeout(entry.expiry);
    entry.expiry = undefined;
    if (expiresAtMs === undefined) return;
    const leftMs = expiresAtMs - Date.now();
    entry.expiry = setTimeout(
      () => {
        if (Date.now() >= expiresAtMs) this.cutKey(keyId, keyExpired());
        else this.expiryChanged(keyId, expiresAtMs);
      },
      Math.min(Math.max(leftMs, 0), MAX_TIMER_MS),
    ).unref();
  }

  /** Returns the keys with requests that `cutKey` would end. */
  keysToCheck(): OpenKey[] {
    return [...this.#byKey.values()].filter(({ exchanges }) => exchanges.items().some(canBeCut));
  }

  /**
   * Ends the open requests of a key: streams with an error event, requests that are not forwarded yet with
   * the error. A response that is not streamed still arrives.
   * @param reason by default: the key is revoked
   */
  cutKey(keyId: string, reason: GatewayError = keyRevoked()): void {
    for (const exchange of this.#byKey.get(keyId)?.exchanges.items() ?? []) {
      if (canBeCut(exchange)) exchange.stop.abort(reason);
    }
  }

  cutAll(): void {
    for (const { exchanges } of [...this.#byKey.values()]) {
      for (const exchange of exchanges.items()) exchange.stop.abort(shuttingDown());
    }
  }
}

function canBeCut({ record, stop }: OpenRequest): boolean {
  return !stop.signal.aborted && (isStreamed({ record }) || record.attempts.length === 0);
}

/** For form uploads only the provider decides if the response is streamed. */
function isStreamed({ record: { attempts, streamed } }: Pick<OpenRequest, 'record'>): boolean {
  return attempts.at(-1)?.streamed ?? streamed;
}

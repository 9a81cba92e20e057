import { GatewayError } from '@model-gateway/shared';
import type { Exchange } from '../request-record.ts';

/** The authenticated requests under way, by key, so that a revocation reaches the ones that are open. */
export class OpenRequests {
  readonly #byKey = new Map<string, Set<Exchange>>();

  get size(): number {
    let size = 0;
    for (const exchanges of this.#byKey.values()) size += exchanges.size;
    return size;
  }

  /** How many of them are streamed answers. */
  get streams(): number {
    let streams = 0;
    for (const exchanges of this.#byKey.values()) {
      for (const exchange of exchanges) if (exchange.record.streamed) streams++;
    }
    return streams;
  }

  add(keyId: string, exchange: Exchange): void {
    const exchanges = this.#byKey.get(keyId);
    if (exchanges === undefined) this.#byKey.set(keyId, new Set([exchange]));
    else exchanges.add(exchange);
  }

  remove(keyId: string, exchange: Exchange): void {
    const exchanges = this.#byKey.get(keyId);
    exchanges?.delete(exchange);
    if (exchanges?.size === 0) this.#byKey.delete(keyId);
  }

  /**
   * Ends the open requests of a revoked key: streams with an error event, what is not forwarded yet with 401.
   * An answer that is not streamed and already on its way was asked for before the revocation, and comes whole.
   */
  cutKey(keyId: string): void {
    for (const exchange of [...(this.#byKey.get(keyId) ?? [])]) {
      const { attempts, streamed } = exchange.record;
      if (streamed || attempts.length === 0) exchange.stop.abort(keyRevoked());
    }
  }

  /** Ends everything that is still open when the drain time is over. */
  cutAll(): void {
    for (const exchanges of [...this.#byKey.values()]) {
      for (const exchange of [...exchanges]) exchange.stop.abort(shuttingDown());
    }
  }
}

function keyRevoked(): GatewayError {
  return new GatewayError('invalid_api_key', 'This API key has been revoked. Create a new one and use that.');
}

function shuttingDown(): GatewayError {
  return new GatewayError('overloaded', 'This gateway process is shutting down. Send the request again.');
}

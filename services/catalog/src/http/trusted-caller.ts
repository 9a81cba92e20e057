import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  AUTHENTICATED_HEADER,
  clientIp,
  INTERNAL_TOKEN_HEADER,
  PRICE_LIST_HEADER,
  REQUEST_ID_HEADER,
  type TrustProxy,
} from '@model-gateway/service-kit';

const REQUEST_ID = /^req_[0-9A-Za-z]{24}$/;

/** Trusts request id, client address and authentication only from callers who know INTERNAL_TOKEN. */
export class TrustedCaller {
  readonly #expected: Buffer;
  readonly #trustProxy: TrustProxy;

  /**
   * @param trustProxy decides which other peers may name the client's address, such as a load balancer that
   *   sends anonymous requests directly to this service
   */
  constructor(internalToken: string, trustProxy: TrustProxy) {
    this.#expected = digest(internalToken);
    this.#trustProxy = trustProxy;
  }

  isDataPlane(req: IncomingMessage): boolean {
    const token = req.headers[INTERNAL_TOKEN_HEADER];
    return typeof token === 'string' && timingSafeEqual(digest(token), this.#expected);
  }

  requestId(req: IncomingMessage): string | undefined {
    const id = req.headers[REQUEST_ID_HEADER];
    return typeof id === 'string' && REQUEST_ID.test(id) && this.isDataPlane(req) ? id : undefined;
  }

  clientIp(req: IncomingMessage): string {
    const forwarded = req.headers['x-forwarded-for'];
    if (typeof forwarded === 'string' && this.isDataPlane(req)) return forwarded;
    return clientIp(req, this.#trustProxy);
  }

  /** Returns the id of the price list of the account that asks; undefined: the default one. */
  priceListId(req: IncomingMessage): string | undefined {
    const id = req.headers[PRICE_LIST_HEADER];
    return typeof id === 'string' && this.isDataPlane(req) ? id : undefined;
  }

  isAuthenticated(req: IncomingMessage): boolean {
    return req.headers[AUTHENTICATED_HEADER] === 'true' && this.isDataPlane(req);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

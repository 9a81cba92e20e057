import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AUTHENTICATED_HEADER, INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@model-gateway/service-kit';

const REQUEST_ID = /^req_[0-9A-Za-z]{24}$/;

/** Believes request id, client address and authentication only from who knows INTERNAL_TOKEN. */
export class TrustedCaller {
  readonly #expected: Buffer;

  constructor(internalToken: string) {
    this.#expected = digest(internalToken);
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
    return req.socket.remoteAddress ?? '';
  }

  isAuthenticated(req: IncomingMessage): boolean {
    return req.headers[AUTHENTICATED_HEADER] === 'true' && this.isDataPlane(req);
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

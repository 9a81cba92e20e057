import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import type { DashboardConfig } from '../config.ts';

const nonces = new WeakMap<ServerResponse, string>();

/** Returns the nonce for the style sheets of a response; each response has its own. */
export function nonceOf(res: ServerResponse): string {
  let nonce = nonces.get(res);
  if (nonce === undefined) {
    nonce = randomBytes(16).toString('base64url');
    nonces.set(res, nonce);
  }
  return nonce;
}

/** Sets a policy that allows only our own scripts and no traffic to other sites but the logo's. */
export function securityHeaders({
  publicUrl,
  product,
}: Pick<DashboardConfig, 'publicUrl' | 'product'>): RequestHandler {
  const logo = product.logoUrl === undefined ? [] : [new URL(product.logoUrl).origin];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", (_req: IncomingMessage, res: ServerResponse) => `'nonce-${nonceOf(res)}'`],
        imgSrc: ["'self'", 'data:', ...logo],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        objectSrc: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: publicUrl.startsWith('https:') && { maxAge: 365 * 86_400 },
  });
}

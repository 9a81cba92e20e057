import type { IncomingMessage } from 'node:http';
import { isThisMachine } from '../config.ts';
import { foreignOrigin } from '../errors/request-errors.ts';

/** The origins of our own pages. This machine has two names. */
export function ownOrigins(publicUrl: string): string[] {
  if (!isThisMachine(publicUrl)) return [publicUrl];
  const { protocol, port } = new URL(publicUrl);
  const twins = ['localhost', '127.0.0.1'].map(
    (host) => `${protocol}//${host}${port === '' ? '' : `:${port}`}`,
  );
  return [...new Set([publicUrl, ...twins])];
}

/**
 * Checks that a request that changes something comes from a page of ours. Browsers name the origin of the
 * page with every such request, and no page can name another one.
 * @throws DashboardError foreign_origin
 */
export function checkOwnOrigin(req: IncomingMessage, origins: readonly string[]): void {
  const { origin } = req.headers;
  if (origin !== undefined && origins.includes(origin)) return;
  throw foreignOrigin();
}

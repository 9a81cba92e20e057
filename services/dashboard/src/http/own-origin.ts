import type { IncomingMessage } from 'node:http';
import { isLoopbackOrigin } from '@model-gateway/service-kit';
import { foreignOrigin } from '../errors/request-errors.ts';

/** Returns the origins of the dashboard's pages. A loopback origin goes by two names. */
export function ownOrigins(publicUrl: string): string[] {
  if (!isLoopbackOrigin(publicUrl)) return [publicUrl];
  const { protocol, port } = new URL(publicUrl);
  const twins = ['localhost', '127.0.0.1'].map(
    (host) => `${protocol}//${host}${port === '' ? '' : `:${port}`}`,
  );
  return [...new Set([publicUrl, ...twins])];
}

/**
 * Rejects requests from other sites (CSRF). Browsers send `origin` with every POST, and no page can forge it.
 * @throws DashboardError foreign_origin
 */
export function checkOwnOrigin(req: IncomingMessage, origins: readonly string[]): void {
  const { origin } = req.headers;
  if (origin !== undefined && origins.includes(origin)) return;
  throw foreignOrigin();
}

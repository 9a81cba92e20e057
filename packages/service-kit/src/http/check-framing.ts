import type { IncomingMessage } from 'node:http';
import type { GatewayError } from '@model-gateway/shared';
import { malformedRequest } from '@model-gateway/shared/errors';
import { headerValues } from './header-values.ts';

const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/;

/**
 * Finds requests that Node's parser accepts but a public server must refuse: old or invented versions, no
 * Host or two of them, transfer codings other than chunked. Request smuggling makes use of such differences
 * between servers.
 */
export function checkFraming(req: IncomingMessage): GatewayError | undefined {
  if (req.httpVersion !== '1.1' && req.httpVersion !== '1.0') return malformedRequest('Use HTTP/1.1.');
  const hosts = headerValues(req, 'host');
  if (hosts.length > 1) return malformedRequest('Send exactly one Host header.');
  const host = hosts[0];
  if (host === undefined && req.httpVersion === '1.1') return malformedRequest('Send a Host header.');
  if (host !== undefined && !HOST.test(host)) return malformedRequest('Send a valid Host header.');
  const coding = req.headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || req.httpVersion === '1.0')) {
    return malformedRequest('Use no transfer coding other than chunked.');
  }
  return undefined;
}

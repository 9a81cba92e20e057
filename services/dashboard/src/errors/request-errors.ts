import { DashboardError } from './dashboard-error.ts';
import { sentence } from './sentence.ts';

export function routeNotFound(): DashboardError {
  return new DashboardError('not_found', 'There is no such route under /api.');
}

export function methodNotAllowed(allowed: readonly string[]): DashboardError {
  const allow = allowed.join(', ');
  return new DashboardError('method_not_allowed', `Use ${allow} here.`, { headers: { allow } });
}

export function foreignOrigin(): DashboardError {
  const message =
    'This request does not come from a page of the dashboard. Reload the page, and open it at its own ' +
    'address.';
  return new DashboardError('foreign_origin', message);
}

export function noJsonBody(): DashboardError {
  return new DashboardError('unsupported_media_type', 'Send JSON, with content-type application/json.');
}

/** For a request that is wrong as a whole; `invalidField` names a field. */
export function invalidRequest(
  message = 'the request cannot be understood',
  cause?: unknown,
): DashboardError {
  return new DashboardError('invalid_request', sentence(message), { cause });
}

/** @param message what is wrong with the field, such as "is missing" */
export function invalidField(path: string, message: string): DashboardError {
  const separator = /^[a-z]/.test(message) ? ' ' : ': ';
  return new DashboardError('invalid_request', sentence(`${path}${separator}${message}`), { param: path });
}

export function emptyPeriod(): DashboardError {
  return new DashboardError('invalid_request', 'The period must begin before it ends.', { param: 'toMs' });
}

export function tooManyBuckets(
  buckets: number,
  max: number,
  width: 'minute' | 'hour' | 'day',
): DashboardError {
  const wider = width === 'day' ? 'Choose a shorter period.' : 'Choose a shorter period or a wider bucket.';
  const message = `The period has ${buckets} buckets of one ${width}; at most ${max} can be shown. ${wider}`;
  return new DashboardError('invalid_request', message, { param: 'width' });
}

export function seatNotFound(): DashboardError {
  return new DashboardError('not_found', 'You have no such seat. Reload the page to see your seats.', {
    param: 'seatId',
  });
}

export function accountNotFound(): DashboardError {
  return new DashboardError('not_found', 'You have no such account. Reload the page to see yours.');
}

export function sessionNotFound(): DashboardError {
  return new DashboardError('not_found', 'You have no such session: it may have ended.');
}

export function passkeyNotFound(): DashboardError {
  return new DashboardError('not_found', 'You have no such passkey: it may have been removed.');
}

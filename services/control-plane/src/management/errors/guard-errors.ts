import { ManagementError } from './management-error.ts';

export function preconditionRequired(): ManagementError {
  const message =
    'This request needs the header If-Match with the ETag of the object, as GET sent it, so that it ' +
    'overwrites no other change. `If-Match: *` overwrites whatever there is.';
  return new ManagementError('precondition_required', message, { param: 'If-Match' });
}

/** @param etag of the object as it is now */
export function preconditionFailed(etag: string): ManagementError {
  const message =
    'The object has changed since the version that If-Match names. GET it again, and repeat the change.';
  return new ManagementError('precondition_failed', message, { param: 'If-Match', headers: { etag } });
}

export function idempotencyKeyReused(): ManagementError {
  const message =
    'This Idempotency-Key was used for another request in the last 24 hours. Use a new one for each request.';
  return new ManagementError('idempotency_key_reused', message, { param: 'Idempotency-Key' });
}

/** Rolls back the change of a repeated request. The caller gets the response to the faster one. */
export function alreadyClaimed(): ManagementError {
  const message = 'Another request with this Idempotency-Key is being served. Retry in a second.';
  return new ManagementError('conflict', message, { param: 'Idempotency-Key' });
}

/** Refuses a repeated request whose first one changed something and has not answered. */
export function responseUnknown(): ManagementError {
  const message =
    'The first request with this Idempotency-Key has made its change, but its answer is not known. Retry in ' +
    'a few seconds. If that does not help, the gateway ended before it answered: read the object instead.';
  return new ManagementError('conflict', message, { param: 'Idempotency-Key' });
}

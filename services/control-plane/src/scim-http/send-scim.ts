import { requestIdOf } from '@model-gateway/service-kit';
import type { ErrorRequestHandler, Response } from 'express';
import type { ControlPlaneContext } from '../context.ts';
import { toManagementError } from '../management/errors/to-management-error.ts';
import { SCHEMA } from '../scim/schema-names.ts';
import { ScimError } from '../scim/scim-error.ts';

/** @param body undefined: none, as with 204 */
export function sendScim(res: Response, status: number, body?: object): void {
  if (res.headersSent || res.destroyed) return;
  res.status(status).set('cache-control', 'no-store');
  if (body === undefined) {
    res.end();
    return;
  }
  const text = Buffer.from(JSON.stringify(body));
  res.set({ 'content-type': 'application/scim+json; charset=utf-8', 'content-length': `${text.length}` });
  res.end(text);
}

/** Makes the error handler of the routes of SCIM, which responds in the form of RFC 7644, section 3.12. */
export function scimErrorHandler({ log }: ControlPlaneContext): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    if (thrown instanceof ScimError) {
      if (thrown.status === 401) res.set('www-authenticate', 'Bearer');
      return sendError(res, thrown.status, thrown.message, thrown.scimType);
    }
    const error = toManagementError(thrown);
    if (error.status >= 500 && error.cause !== undefined) {
      const fields = { request_id: requestIdOf(res), error: error.cause };
      log[error.code === 'internal_error' ? 'error' : 'warn'](
        fields,
        'a request of an identity provider failed',
      );
    }
    if (!req.complete) res.set('connection', 'close');
    res.set(error.headers);
    sendError(res, error.status, error.message, error.status === 400 ? 'invalidSyntax' : undefined);
  };
}

function sendError(res: Response, status: number, detail: string, scimType: string | undefined): void {
  sendScim(res, status, { schemas: [SCHEMA.error], status: `${status}`, scimType, detail });
}

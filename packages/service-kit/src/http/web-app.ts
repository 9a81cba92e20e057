import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PublicError } from '@model-gateway/shared';
import type { Logger } from '../observability/logger.ts';
import { requestIdOf } from './request-id.ts';
import { type ErrorWriter, usualError } from './write-error.ts';

/** The settings of an Express app. Services bring Express themselves, because some have no HTTP. */
interface Settings {
  disable(name: string): unknown;
  enable(name: string): unknown;
  set(name: string, value: string): unknown;
}

/** The part of an Express path that is used here. */
interface Path<Handler> {
  get(handler: Handler): unknown;
  post(handler: Handler): unknown;
  patch(handler: Handler): unknown;
  put(handler: Handler): unknown;
  delete(handler: Handler): unknown;
  all(handler: Handler): unknown;
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

const MOUNT = {
  GET: 'get',
  POST: 'post',
  PATCH: 'patch',
  PUT: 'put',
  DELETE: 'delete',
} as const satisfies Record<Method, string>;

/** Configures Express for a service: paths and queries are literal, and no headers are added. */
export function plainApp<App extends Settings>(app: App): App {
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  return app;
}

/**
 * Mounts the handlers for the methods of one path.
 * @param refuse makes the handler for every other method, which answers 405, from the allowed methods
 */
export function mountPath<Handler>(
  path: Path<Handler>,
  answers: readonly (readonly [Method, Handler])[],
  refuse: (allowed: readonly string[]) => Handler,
): void {
  for (const [method, handler] of answers) path[MOUNT[method]](handler);
  // Express answers HEAD as it answers GET.
  path.all(refuse(answers.flatMap(([method]) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))));
}

/**
 * Makes the error handler of an Express app. It logs what a route has thrown, unless that is the caller's
 * fault, and answers with an error. An answer that has begun can only be cut off.
 * @param errorOf turns whatever was thrown into an error that can be shown
 */
export function answerFailure(
  log: Logger,
  errorOf: (thrown: unknown) => PublicError,
  write: ErrorWriter = usualError,
) {
  // Express knows an error handler by its four parameters.
  return (thrown: unknown, req: IncomingMessage, res: ServerResponse, _next: unknown): void => {
    const error = errorOf(thrown);
    if (error.status >= 500 && error.cause !== undefined) {
      const fields = { request_id: requestIdOf(res), error: error.cause };
      if (error.code === 'internal_error') log.error(fields, 'unexpected failure');
      else log.warn(fields, error.message);
    }
    if (res.headersSent) res.destroy();
    else write(req, res, error);
  };
}

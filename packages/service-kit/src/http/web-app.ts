import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PublicError } from '@model-gateway/shared';
import type { Logger } from '../observability/logger.ts';
import { requestIdOf } from './request-id.ts';
import { writeError } from './write-error.ts';

/** The settings of an Express app. Services bring their own Express: those that have no HTTP need none. */
interface Settings {
  disable(name: string): unknown;
  enable(name: string): unknown;
  set(name: string, value: string): unknown;
}

/** What of Express is used of one path. */
interface Path<Handler> {
  get(handler: Handler): unknown;
  post(handler: Handler): unknown;
  all(handler: Handler): unknown;
}

export type Method = 'GET' | 'POST';

/** Express as every service has it: paths and queries to the letter, and no header that nobody asked for. */
export function plainApp<App extends Settings>(app: App): App {
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  return app;
}

/**
 * Mounts what answers the methods of one path.
 * @param refuse makes what answers every other method, with 405, from the methods that are allowed
 */
export function mountPath<Handler>(
  path: Path<Handler>,
  answers: readonly (readonly [Method, Handler])[],
  refuse: (allowed: readonly string[]) => Handler,
): void {
  for (const [method, handler] of answers) path[method === 'GET' ? 'get' : 'post'](handler);
  // Express answers HEAD as it answers GET.
  path.all(refuse(answers.flatMap(([method]) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))));
}

/**
 * Makes the error handler of an Express app. What a route has thrown is logged where it is not the caller's
 * fault, and answered in the envelope; an answer that has begun can only be cut.
 * @param errorOf makes what can be shown of whatever was thrown
 */
export function answerFailure(log: Logger, errorOf: (thrown: unknown) => PublicError) {
  // The four parameters make it an error handler.
  return (thrown: unknown, _req: IncomingMessage, res: ServerResponse, _next: unknown): void => {
    const error = errorOf(thrown);
    if (error.status >= 500 && error.cause !== undefined) {
      const fields = { request_id: requestIdOf(res), error: error.cause };
      if (error.code === 'internal_error') log.error(fields, 'unexpected failure');
      else log.warn(fields, error.message);
    }
    if (res.headersSent) res.destroy();
    else writeError(res, error);
  };
}

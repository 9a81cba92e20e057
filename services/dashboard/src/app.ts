import { requestIdOf, writeError } from '@model-gateway/service-kit';
import compression from 'compression';
import express, { type ErrorRequestHandler, type Express, type Request } from 'express';
import type { DashboardContext } from './context.ts';
import { toDashboardError } from './errors/to-dashboard-error.ts';
import type { Site } from './pages/load-site.ts';
import { securityHeaders } from './pages/security-headers.ts';
import { servePages } from './pages/serve-pages.ts';
import { apiRoutes } from './routes/api-routes.ts';
import { serveApi } from './routes/serve-api.ts';

/** The pages and their API. */
export function createApp(context: DashboardContext, site: Site): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  app.use(securityHeaders(context.config.publicUrl));
  app.use(compression({ filter: (req, res) => isCompressed(req) && compression.filter(req, res) }));
  serveApi(app, context, apiRoutes(context));
  servePages(app, context, site);
  app.use(answerFailure(context));
  return app;
}

/**
 * Only GETs are compressed: the answer to a POST may hold a secret, or must arrive while it is being made.
 */
function isCompressed(req: Request): boolean {
  return req.method === 'GET';
}

/** Express recognises an error handler by its four parameters. */
function answerFailure({ log }: DashboardContext): ErrorRequestHandler {
  return (thrown, _req, res, _next) => {
    const error = toDashboardError(thrown);
    if (error.status >= 500 && error.cause !== undefined) {
      const level = error.code === 'internal_error' ? 'error' : 'warn';
      log[level]({ request_id: requestIdOf(res), error: error.cause }, error.message);
    }
    if (res.headersSent) res.destroy();
    else writeError(res, error);
  };
}

import { answerFailure, plainApp } from '@model-gateway/service-kit';
import compression from 'compression';
import express, { type Express, type Request } from 'express';
import type { DashboardContext } from './context.ts';
import { toDashboardError } from './errors/to-dashboard-error.ts';
import type { Site } from './pages/load-site.ts';
import { securityHeaders } from './pages/security-headers.ts';
import { servePages } from './pages/serve-pages.ts';
import { apiRoutes } from './routes/api-routes.ts';
import { serveApi } from './routes/serve-api.ts';

/** Builds the Express app that serves the pages and their API. */
export function createApp(context: DashboardContext, site: Site): Express {
  const app = plainApp(express());
  app.use(securityHeaders(context.config));
  app.use(compression({ filter: (req, res) => isCompressed(req) && compression.filter(req, res) }));
  serveApi(app, context, apiRoutes(context));
  servePages(app, context, site);
  app.use(answerFailure(context.log, toDashboardError));
  return app;
}

/** Excludes POST: its responses can contain secrets (BREACH) or are streamed unbuffered. */
function isCompressed(req: Request): boolean {
  return req.method === 'GET';
}

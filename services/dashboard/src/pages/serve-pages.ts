import { healthBody } from '@model-gateway/service-kit';
import type { Express, Request, RequestHandler, Response } from 'express';
import expressStaticGzip from 'express-static-gzip';
import type { DashboardContext } from '../context.ts';
import { methodNotAllowed } from '../errors/request-errors.ts';
import { observeRequest } from '../http/observe-request.ts';
import type { Site } from './load-site.ts';
import { nonceOf } from './security-headers.ts';

/** The paths of web/src/routes.tsx; any other path is a 404. */
export const PAGES = [
  '/',
  '/sign-in',
  '/sign-up',
  '/reset-password',
  '/forgot-password',
  '/verify-email',
  '/invitation',
  '/membership',
  '/sign-in-again',
  '/dashboard',
  '/dashboard/*path',
  '/operate',
  '/operate/*path',
  '/status',
  '/models',
];
const YEAR_SECONDS = 365 * 86_400;

/** Serves the built site, and GET /health. */
export function servePages(app: Express, context: DashboardContext, site: Site): void {
  app.get('/health', (req, res) => {
    observeRequest(context, '/health', req, res);
    res.setHeader('cache-control', 'no-store');
    res.json(healthBody('dashboard'));
  });
  const send = (route: string, status: number) => (req: Request, res: Response) => {
    observeRequest(context, route, req, res);
    if (req.method !== 'GET' && req.method !== 'HEAD') throw methodNotAllowed(['GET', 'HEAD']);
    res.setHeader('cache-control', 'no-store');
    res
      .status(status)
      .type('html')
      .send(site.page(nonceOf(res)));
  };
  for (const path of PAGES) app.all(path, send(path, 200));
  app.use(files(context, site));
  app.use(send('unknown', 404));
}

/** Serves files as compressed by the build. Only files in assets/ have a content hash in their names. */
function files(context: DashboardContext, { folder }: Site): RequestHandler {
  const serve: RequestHandler = expressStaticGzip(folder, {
    enableBrotli: true,
    orderPreference: ['br', 'gz'],
    index: false,
    serveStatic: {
      redirect: false,
      dotfiles: 'ignore',
      setHeaders(res, path) {
        observeRequest(context, '/assets', res.req, res);
        const isHashed = /[\\/]assets[\\/]/.test(path.slice(folder.length));
        const caching = isHashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'public, max-age=300';
        res.setHeader('cache-control', caching);
        // The policy applies to documents only, and would make some scripts a tenth larger.
        if (isHashed) res.removeHeader('content-security-policy');
      },
    },
  });
  // Skips paths with a percent escape (no file has one) and index.html, whose file has the placeholder
  // instead of a nonce.
  return (req, res, next) => (/%|\.html$/.test(req.path) ? next() : serve(req, res, next));
}

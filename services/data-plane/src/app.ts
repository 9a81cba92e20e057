import type { RequestListener } from 'node:http';
import { healthBody, writeError } from '@model-gateway/service-kit';
import { toGatewayError } from '@model-gateway/shared';
import { methodNotAllowed } from '@model-gateway/shared/errors';
import cors from 'cors';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type { DataPlaneContext } from './context.ts';
import { serveExchange } from './http/serve-exchange.ts';
import { straightToRoute } from './http/straight-to-route.ts';
import { chatCompletions } from './routes/chat-completions.ts';
import { embeddings } from './routes/embeddings.ts';
import { images } from './routes/images.ts';
import { modelReads, publicReads } from './routes/public-reads.ts';
import { rerank } from './routes/rerank.ts';
import { speech } from './routes/speech.ts';
import { transcriptions } from './routes/transcriptions.ts';
import { unknownRoute } from './routes/unknown-route.ts';
import { usageReceipt, usageSummary } from './routes/usage.ts';

/** Every route of the data plane. Known path, wrong method: 405; all else: 404; both before any key is looked at. */
export function createApp(context: DataPlaneContext): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('query parser', 'simple');
  if (context.corsOrigins.length > 0) app.use(crossOrigin(context.corsOrigins));

  const posts = new Map<string, RequestListener>();
  const route = (path: string, method: 'get' | 'post', listener: RequestListener) => {
    const allowed = method === 'get' ? ['GET', 'HEAD'] : ['POST'];
    if (method === 'post') posts.set(path, listener);
    app
      .route(path)
      [method](listener)
      .all(
        serveExchange(context, path, ({ req }) => {
          throw methodNotAllowed(req.method ?? '', allowed);
        }),
      );
  };
  route(
    '/health',
    'get',
    serveExchange(context, '/health', ({ res }) => {
      res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
      res.end(JSON.stringify(healthBody('data-plane')));
    }),
  );
  route('/v1/chat/completions', 'post', chatCompletions(context));
  route('/v1/embeddings', 'post', embeddings(context));
  route('/v1/rerank', 'post', rerank(context));
  route('/v1/images/generations', 'post', images(context));
  route('/v1/audio/speech', 'post', speech(context));
  route('/v1/audio/transcriptions', 'post', transcriptions(context));
  route('/v1/models', 'get', modelReads(context, '/v1/models'));
  route('/v1/models/*modelId', 'get', modelReads(context, '/v1/models/:modelId'));
  route('/v1/usage', 'get', usageSummary(context));
  route('/v1/usage/requests/:request_id', 'get', usageReceipt(context));
  route('/v1/status', 'get', publicReads(context, '/v1/status'));
  route('/v1/status/models', 'get', publicReads(context, '/v1/status/models'));
  for (const path of ['/openapi.json', '/docs', '/docs/*file'])
    route(path, 'get', publicReads(context, path));
  app.use(unknownRoute(context));
  app.use(frameworkFailure);
  // Where origins are named, every answer must be marked for them first.
  return context.corsOrigins.length > 0 ? app : straightToRoute(posts, app);
}

/** Answers preflights and marks answers for the origins that the operator has named; others see no difference. */
function crossOrigin(origins: readonly string[]): RequestHandler {
  const allow = cors({
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST'],
    exposedHeaders: [
      'x-request-id',
      'x-client-request-id',
      'x-gateway-model',
      'x-gateway-overhead-ms',
      'retry-after',
    ],
    maxAge: 600,
  });
  return (req, res, next) => {
    if (req.headers.origin !== undefined && origins.includes(req.headers.origin))
      return allow(req, res, next);
    res.vary('Origin');
    return next();
  };
}

/** The four parameters make it an error handler: what Express itself throws must not become its own page. */
const frameworkFailure: ErrorRequestHandler = (error, _req, res, _next) =>
  writeError(res, toGatewayError(error));

import type { RequestListener } from 'node:http';
import { answerFailure, healthBody, type Method, mountPath, plainApp } from '@model-gateway/service-kit';
import { toGatewayError } from '@model-gateway/shared';
import { methodNotAllowed, webSocketRefused } from '@model-gateway/shared/errors';
import cors from 'cors';
import express, { type RequestHandler } from 'express';
import { callerAt, writeErrorAt } from './chat/caller-at.ts';
import type { DataPlaneContext } from './context.ts';
import { serveExchange } from './http/serve-exchange.ts';
import { straightToRoute } from './http/straight-to-route.ts';
import { purgeCache } from './routes/cache.ts';
import { countResponseTokens } from './routes/count-response-tokens.ts';
import { countTokens } from './routes/count-tokens.ts';
import { imageEdits } from './routes/image-edits.ts';
import { jsonRoutes } from './routes/json-routes.ts';
import { ownKey } from './routes/key.ts';
import { modelReads, publicReads } from './routes/public-reads.ts';
import { storedResponse } from './routes/stored-responses.ts';
import { transcriptions } from './routes/transcriptions.ts';
import { unknownRoute } from './routes/unknown-route.ts';
import { usageReceipt, usageSummary } from './routes/usage.ts';

const RESPONSE_SUBPATHS = [
  ['cancel', 'POST', 'cancel'],
  ['input_items', 'GET', 'input_items'],
] as const;

/**
 * Registers every route of the data plane. A wrong method is a 405 and an unknown path a 404, before any key
 * is checked.
 */
export function createApp(context: DataPlaneContext): RequestListener {
  const app = plainApp(express());
  if (context.corsOrigins.length > 0) app.use(crossOrigin(context.corsOrigins));

  const posts = new Map<string, RequestListener>();
  const routes = (path: string, answers: readonly (readonly [Method, RequestListener])[]) => {
    for (const [method, listener] of answers) if (method === 'POST') posts.set(path, listener);
    const refuseMethod = (allowed: readonly string[]) =>
      serveExchange(
        context,
        path,
        ({ req }) => {
          // OpenAI's clients try WebSocket before HTTP here.
          const isWebSocket = req.headers.upgrade?.toLowerCase() === 'websocket';
          if (isWebSocket && path === '/v1/responses') throw webSocketRefused();
          throw methodNotAllowed(req.method ?? '', allowed);
        },
        callerAt(path),
      );
    mountPath<RequestListener>(app.route(path), answers, refuseMethod);
  };
  const route = (path: string, method: Method, listener: RequestListener) =>
    routes(path, [[method, listener]]);
  route(
    '/health',
    'GET',
    serveExchange(context, '/health', ({ res }) => {
      res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
      res.end(JSON.stringify(healthBody('data-plane')));
    }),
  );
  for (const [path, listener] of jsonRoutes(context)) {
    route(path, 'POST', listener);
    // Anthropic's SDKs add this query for beta features.
    if (path === '/v1/messages') posts.set(`${path}?beta=true`, listener);
  }
  route('/v1/messages/count_tokens', 'POST', countTokens(context));
  route('/v1/responses/input_tokens', 'POST', countResponseTokens(context));
  routes('/v1/responses/:response_id', [
    ['GET', storedResponse(context, '/v1/responses/:response_id', 'response')],
    ['DELETE', storedResponse(context, '/v1/responses/:response_id', 'delete')],
  ]);
  for (const [below, method, what] of RESPONSE_SUBPATHS) {
    const path = `/v1/responses/:response_id/${below}`;
    route(path, method, storedResponse(context, path, what));
  }
  route('/v1/images/edits', 'POST', imageEdits(context));
  route('/v1/audio/transcriptions', 'POST', transcriptions(context));
  route('/v1/models', 'GET', modelReads(context, '/v1/models'));
  route('/v1/models/*modelId', 'GET', modelReads(context, '/v1/models/:modelId'));
  route('/v1/key', 'GET', ownKey(context));
  route('/v1/cache', 'DELETE', purgeCache(context));
  route('/v1/usage', 'GET', usageSummary(context));
  route('/v1/usage/requests/:request_id', 'GET', usageReceipt(context));
  route('/v1/status', 'GET', publicReads(context, '/v1/status'));
  route('/v1/status/models', 'GET', publicReads(context, '/v1/status/models'));
  for (const path of ['/openapi.json', '/docs', '/docs/*file'])
    route(path, 'GET', publicReads(context, path));
  app.use(unknownRoute(context));
  // Errors thrown by Express itself must not become its own page.
  app.use(answerFailure(context.log, toGatewayError, writeErrorAt));
  // With CORS origins, the `cors` middleware must run first, so nothing may bypass Express.
  return context.corsOrigins.length > 0 ? app : straightToRoute(posts, app, writeErrorAt);
}

/**
 * Answers preflights and adds CORS headers for the origins that the operator configured. Other origins get
 * neither.
 */
function crossOrigin(origins: readonly string[]): RequestHandler {
  const allow = cors({
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'DELETE'],
    exposedHeaders: [
      'x-request-id',
      'x-client-request-id',
      'request-id',
      'x-gateway-model',
      'x-gateway-ignored',
      'x-gateway-overhead-ms',
      'retry-after',
      'idempotency-replayed',
      'x-gateway-first-request-id',
      'x-gateway-cache',
      'x-gateway-cache-key',
      'age',
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

import type { RequestListener } from 'node:http';
import { answerFailure, healthBody, type Method, mountPath, plainApp } from '@model-gateway/service-kit';
import { toGatewayError } from '@model-gateway/shared';
import { methodNotAllowed } from '@model-gateway/shared/errors';
import cors from 'cors';
import express, { type RequestHandler } from 'express';
import { callerAt, writeErrorAt } from './chat/caller-at.ts';
import type { DataPlaneContext } from './context.ts';
import { serveExchange } from './http/serve-exchange.ts';
import { straightToRoute } from './http/straight-to-route.ts';
import { chatCompletions } from './routes/chat-completions.ts';
import { countTokens } from './routes/count-tokens.ts';
import { embeddings } from './routes/embeddings.ts';
import { images } from './routes/images.ts';
import { messages } from './routes/messages.ts';
import { modelReads, publicReads } from './routes/public-reads.ts';
import { refusedMethod } from './routes/refused-method.ts';
import { rerank } from './routes/rerank.ts';
import { responses } from './routes/responses.ts';
import { speech } from './routes/speech.ts';
import { keptResponse } from './routes/stored-responses.ts';
import { transcriptions } from './routes/transcriptions.ts';
import { unknownRoute } from './routes/unknown-route.ts';
import { usageReceipt, usageSummary } from './routes/usage.ts';

const BELOW_RESPONSE = [
  ['cancel', 'POST', 'cancel'],
  ['input_items', 'GET', 'input_items'],
] as const;

/** Every route of the data plane. Wrong method: 405; unknown path: 404; both before a key is looked at. */
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
          throw refusedMethod(path, req) ?? methodNotAllowed(req.method ?? '', allowed);
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
  route('/v1/chat/completions', 'POST', chatCompletions(context));
  const messagesRoute = messages(context);
  route('/v1/messages', 'POST', messagesRoute);
  // Anthropic's clients ask like this for whatever is in beta there.
  posts.set('/v1/messages?beta=true', messagesRoute);
  route('/v1/messages/count_tokens', 'POST', countTokens(context));
  route('/v1/responses', 'POST', responses(context));
  routes('/v1/responses/:response_id', [
    ['GET', keptResponse(context, '/v1/responses/:response_id', 'response')],
    ['DELETE', keptResponse(context, '/v1/responses/:response_id', 'delete')],
  ]);
  for (const [below, method, what] of BELOW_RESPONSE) {
    const path = `/v1/responses/:response_id/${below}`;
    route(path, method, keptResponse(context, path, what));
  }
  route('/v1/embeddings', 'POST', embeddings(context));
  route('/v1/rerank', 'POST', rerank(context));
  route('/v1/images/generations', 'POST', images(context));
  route('/v1/audio/speech', 'POST', speech(context));
  route('/v1/audio/transcriptions', 'POST', transcriptions(context));
  route('/v1/models', 'GET', modelReads(context, '/v1/models'));
  route('/v1/models/*modelId', 'GET', modelReads(context, '/v1/models/:modelId'));
  route('/v1/usage', 'GET', usageSummary(context));
  route('/v1/usage/requests/:request_id', 'GET', usageReceipt(context));
  route('/v1/status', 'GET', publicReads(context, '/v1/status'));
  route('/v1/status/models', 'GET', publicReads(context, '/v1/status/models'));
  for (const path of ['/openapi.json', '/docs', '/docs/*file'])
    route(path, 'GET', publicReads(context, path));
  app.use(unknownRoute(context));
  // Errors thrown by Express itself must not become its own page.
  app.use(answerFailure(context.log, toGatewayError, writeErrorAt));
  // Where origins are named, every answer must be marked for them first.
  return context.corsOrigins.length > 0 ? app : straightToRoute(posts, app, writeErrorAt);
}

/** Answers preflights and marks answers for the origins named by the operator; no one else notices. */
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

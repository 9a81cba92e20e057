import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiReference } from '@model-gateway/api-reference';
import {
  answerFailure,
  clientIp,
  healthBody,
  mountPath,
  observeRequest,
  plainApp,
} from '@model-gateway/service-kit';
import express, { type Express, type RequestHandler } from 'express';
import type { ControlPlaneContext } from '../context.ts';
import { writeManagementError } from './compatible/openrouter-errors.ts';
import { methodNotAllowed, routeNotFound } from './errors/request-errors.ts';
import { toManagementError } from './errors/to-management-error.ts';
import { createManagementContext } from './management-context.ts';
import { managementDocument } from './openapi/management-document.ts';
import { ROUTES } from './routes/index.ts';
import { sendJson } from './send-json.ts';
import { serveRoute } from './serve-route.ts';

/** Creates the app of the management port. @param otherApis handlers of other APIs, by path */
export function createApp(
  context: ControlPlaneContext,
  otherApis: Readonly<Record<string, RequestHandler>>,
): Express {
  const app = plainApp(express());
  const management = createManagementContext(context);
  const observe = (route: string, req: IncomingMessage, res: ServerResponse) =>
    observeRequest(context.adminObserver, { route, clientIp: clientIp(req, context.trustProxy) }, req, res);
  const refuse =
    (path: string) =>
    (allowed: readonly string[]): RequestHandler =>
    (req, res) => {
      observe(path, req, res);
      throw methodNotAllowed(req.method, allowed);
    };
  const get = (path: string, handle: RequestHandler) => {
    const handler: RequestHandler = (req, res, next) => {
      observe(path, req, res);
      return handle(req, res, next);
    };
    mountPath(app.route(path), [['GET', handler]], refuse(path));
  };
  get('/health', (_req, res) => sendJson(res, 200, healthBody('control-plane')));
  const reference = apiReference({
    prefix: '/admin',
    title: 'Model Gateway management API',
    document: () => managementDocument(ROUTES),
  });
  for (const [path, handle] of Object.entries(reference)) get(path, handle);
  for (const [path, routes] of Map.groupBy(ROUTES, (route) => route.path)) {
    const handlers = routes.map((route) => [route.method, serveRoute(management, route)] as const);
    mountPath(app.route(path), handlers, refuse(path));
  }
  for (const [path, handle] of Object.entries(otherApis)) app.use(path, handle);
  app.use((req, res) => {
    observe('unknown', req, res);
    writeManagementError(req, res, routeNotFound());
  });
  app.use(answerFailure(context.log, toManagementError, writeManagementError));
  return app;
}

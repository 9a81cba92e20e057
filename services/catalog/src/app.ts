import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Handler, PreparedAnswer } from '@model-gateway/api-reference';
import {
  answerFailure,
  healthBody,
  mountPath,
  observeRequest,
  plainApp,
  writeError,
} from '@model-gateway/service-kit';
import { toGatewayError } from '@model-gateway/shared';
import { methodNotAllowed, noSuchModel, routeNotFound } from '@model-gateway/shared/errors';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import type { CatalogContext } from './context.ts';
import { docsAnswers } from './docs/docs-answers.ts';
import { limitByAddress } from './http/limit-by-address.ts';
import { sendCached } from './http/send-cached.ts';
import { ANTHROPIC_VERSION, isMessagesClient, writeClientError } from './models/messages-client.ts';
import { messagesModel } from './models/messages-models.ts';
import { modelStatuses } from './status/model-statuses.ts';
import { statusFacts } from './status/status-facts.ts';
import { summariseStatus } from './status/summarise-status.ts';

/** Exceeds the rules of all levels of a key. */
const MAX_RULES_BYTES = 8 * 1024 * 1024;

/** The public GETs. */
export function createApp(context: CatalogContext): Express {
  const { copy, trustedCaller } = context;
  const app = plainApp(express());

  const get = (path: string, route: string, handle: Handler, limited = false) => {
    const handler: RequestHandler = async (req, res) => {
      observe(context, route, req, res);
      if (limited) await limitByAddress(context, req, res);
      handle(req, res);
    };
    mountPath(app.route(path), [['GET', handler]], (allowed) => (req, res) => {
      observe(context, route, req, res);
      writeClientError(req, res, methodNotAllowed(req.method, allowed));
    });
  };
  const rulesReader = express.text({ type: 'application/json', limit: MAX_RULES_BYTES });
  /** Serves a GET of models, and to data planes a POST with the rules of a key, which filter the models. */
  const getModels = (
    path: string,
    route: string,
    handle: (req: Request, res: Response, rules?: string) => void,
  ) => {
    const onlyDataPlanes: RequestHandler = (req, _res, next) =>
      next(trustedCaller.isDataPlane(req) ? undefined : 'route');
    app.post(path, onlyDataPlanes, rulesReader, (req, res) => {
      observe(context, route, req, res);
      handle(req, res, String(req.body));
    });
    getLimited(path, route, (req, res) => handle(req, res));
  };
  const getLimited = (path: string, route: string, handle: Handler) => get(path, route, handle, true);
  const visibility = (req: Request) => (trustedCaller.isAuthenticated(req) ? 'private' : 'public');

  get('/health', '/health', (_req, res) => {
    res.setHeader('cache-control', 'no-store');
    res.json(healthBody('catalog'));
  });
  const sendModels = (req: Request, res: Response, answer: PreparedAnswer) =>
    sendCached(req, res, answer, { visibility: visibility(req), dependsOn: [ANTHROPIC_VERSION] });
  const modelsFor = (req: Request, rules?: string) => ({
    rules,
    priceListId: trustedCaller.priceListId(req),
  });
  getModels('/v1/models', '/v1/models', (req, res, rules) => {
    sendModels(req, res, copy.require().modelAnswers.answerTo(req, modelsFor(req, rules)));
  });
  getModels('/v1/models/*modelId', '/v1/models/:modelId', (req, res, rules) => {
    const found = copy.require().modelAnswers.find(modelNameOf(req), modelsFor(req, rules));
    const model = found !== undefined && isMessagesClient(req) ? messagesModel(found) : found;
    if (model === undefined) throw noSuchModel();
    sendModels(req, res, new PreparedAnswer(JSON.stringify(model)));
  });
  const sendStatus = (req: Request, res: Response, status: object) =>
    sendCached(req, res, new PreparedAnswer(JSON.stringify(status)), { visibility: 'public' });
  getLimited('/v1/status', '/v1/status', (req, res) => {
    const now = unixSeconds();
    sendStatus(req, res, summariseStatus(statusFacts(context, now), now));
  });
  getLimited('/v1/status/models', '/v1/status/models', (req, res) => {
    const { configurations, models } = copy.require();
    sendStatus(req, res, modelStatuses(models, copy.modelHealth, unixSeconds(), configurations));
  });
  for (const [path, handle] of Object.entries(docsAnswers())) get(path, path, handle);
  app.use((req, res) => {
    observe(context, 'unknown', req, res);
    writeError(res, routeNotFound());
  });
  app.use(answerFailure(context.log, toGatewayError, writeClientError));
  return app;
}

/** Returns the id or alias. Express has decoded both `acme/small` and `acme%2Fsmall` into segments. */
function modelNameOf(req: Request): string {
  const segments: unknown = req.params.modelId;
  return Array.isArray(segments) ? segments.join('/') : String(segments);
}

function observe(context: CatalogContext, route: string, req: IncomingMessage, res: ServerResponse): void {
  observeRequest(context, { route, clientIp: context.trustedCaller.clientIp(req) }, req, res);
}

function unixSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

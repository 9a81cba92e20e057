import { clientIp, observeRequest } from '@model-gateway/service-kit';
import express, { type Request, type Response, Router } from 'express';
import type { ControlPlaneContext } from '../context.ts';
import { goneSignal } from '../management/send-json.ts';
import { listResponse } from '../scim/page.ts';
import { ScimError } from '../scim/scim-error.ts';
import { SCIM_PATH } from '../scim/scim-resources.ts';
import { authenticate, type Provider } from './authenticate.ts';
import { RESOURCE_TYPES, SCHEMAS, SERVICE_PROVIDER_CONFIG } from './discovery.ts';
import { groupRoutes } from './group-routes.ts';
import { createScimContext } from './scim-context.ts';
import type { ScimRoute } from './scim-route.ts';
import { scimErrorHandler, sendScim } from './send-scim.ts';
import { userRoutes } from './user-routes.ts';

/** A list of MAX_MEMBERS members with their names. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** SCIM 2.0 (RFC 7644) at SCIM_PATH. */
export function scimRouter(controlPlane: ControlPlaneContext): Router {
  const context = createScimContext(controlPlane);
  const router = Router({ caseSensitive: true });
  const parseBody = express.json({
    limit: MAX_BODY_BYTES,
    inflate: false,
    type: ['application/scim+json', 'application/json'],
  });
  for (const { handle, method, path } of SCIM_ROUTES) {
    router[method](path, async (req, res) => {
      let provider: Provider | undefined;
      const notes = () => (provider === undefined ? {} : { scim_token_id: provider.actor.id });
      observe(context, `${SCIM_PATH}${path}`, req, res, notes);
      provider = await authenticate(context, req, res);
      const body = await readBody(parseBody, req, res);
      const response = await handle(context, {
        ...provider,
        id: String(req.params.id ?? ''),
        query: req.query,
        body,
        ifMatch: req.headers['if-match'],
        ifNoneMatch: req.headers['if-none-match'],
        signal: goneSignal(res),
      });
      if (response.headers !== undefined) res.set(response.headers);
      sendScim(res, response.status, response.body);
    });
  }
  router.use((req, res) => {
    observe(context, `${SCIM_PATH}/unknown`, req, res);
    throw new ScimError(404, 'there is no such endpoint');
  });
  router.use(scimErrorHandler(context));
  return router;
}

function observe(
  { adminObserver, trustProxy }: ControlPlaneContext,
  route: string,
  req: Request,
  res: Response,
  notes?: () => Record<string, unknown>,
): void {
  const facts = { route, clientIp: clientIp(req, trustProxy), ...(notes === undefined ? {} : { notes }) };
  observeRequest(adminObserver, facts, req, res);
}

/** @throws ScimError 415; body-parser's errors */
async function readBody(
  parse: ReturnType<typeof express.json>,
  req: Request,
  res: Response,
): Promise<unknown> {
  if (req.method === 'GET' || req.method === 'DELETE') return undefined;
  if (!req.is(['application/scim+json', 'application/json'])) {
    throw new ScimError(415, 'send the body as application/scim+json');
  }
  await new Promise<void>((resolve, reject) => {
    parse(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
  return req.body;
}

const discoveryRoutes: ScimRoute[] = [
  {
    method: 'get',
    path: '/ServiceProviderConfig',
    handle: async () => ({ status: 200, body: SERVICE_PROVIDER_CONFIG }),
  },
  ...listed('/ResourceTypes', RESOURCE_TYPES),
  ...listed('/Schemas', SCHEMAS),
];

function listed(path: string, resources: readonly { id: string }[]): ScimRoute[] {
  const body = listResponse(resources.length, { offset: 0 }, resources);
  return [
    { method: 'get', path, handle: async () => ({ status: 200, body }) },
    {
      method: 'get',
      path: `${path}/:id`,
      handle: async (_context, { id }) => {
        const found = resources.find((resource) => resource.id === id);
        if (found === undefined) throw new ScimError(404, `there is no ${path.slice(1)} ${id}`);
        return { status: 200, body: found };
      },
    },
  ];
}

/** Every route below SCIM_PATH. */
export const SCIM_ROUTES: readonly ScimRoute[] = [...discoveryRoutes, ...userRoutes, ...groupRoutes];

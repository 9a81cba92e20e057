import type { CallManagementApiRequestMessage } from '@model-gateway/contracts';
import { errorBody } from '@model-gateway/shared';
import { type InstallationRole, SCOPES } from '@model-gateway/shared/access';
import { z } from 'zod';
import type { ConsoleActor, UserActor } from '../actors/actor.ts';
import type { ControlPlaneContext } from '../context.ts';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { invalidField } from './errors/request-errors.ts';
import { toManagementError } from './errors/to-management-error.ts';
import { noteDenied } from './note-denied.ts';
import { requirePlainJson } from './plain-json.ts';
import { requireAccess } from './require-access.ts';
import { parameterNames, type Route } from './route.ts';
import { OWN_ROUTES } from './routes/own-routes.ts';
import { type ManagementResponse, serveRequest } from './serve-request.ts';

const operations = new Map<string, Route>(OWN_ROUTES.map((route) => [route.operationId, route]));

const value = z.union([z.string(), z.array(z.string())]);
const sentRequest = z.strictObject({
  path: z.record(z.string(), z.string()).optional(),
  query: z.record(z.string(), z.union([value, z.record(z.string(), value)])).optional(),
  body: z.unknown().optional(),
});

/**
 * Serves an operation of the management API for a user with a role in the installation.
 * @returns the response, also when it is an error
 * @throws ControlPlaneError invalid_argument (no such operation, a change in a call that may only read)
 */
export async function callOperation(
  context: ControlPlaneContext,
  user: UserActor,
  request: CallManagementApiRequestMessage,
  signal: AbortSignal,
): Promise<ManagementResponse> {
  const route = operations.get(request.operation);
  if (route === undefined) throw invalidArgument(`there is no operation ${request.operation}`);
  if (!request.mayChange && route.method !== 'GET')
    throw invalidArgument(`${request.operation} changes something: send it with POST`);
  const actor = consoleActor(user);
  try {
    const { body, path = {}, query = {} } = parseSent(request.requestJson);
    requireAccess(route, actor, path);
    requireParameters(route, path);
    requirePlainJson(path, 'path');
    requirePlainJson(query, 'query');
    requirePlainJson(body, 'request body');
    const { idempotencyKey, ifMatch } = request;
    return await serveRequest(context, route, {
      ...{ actor, params: path, query, body, ifMatch, signal },
      url: `${request.operation} ${request.requestJson}`,
      idempotencyKeys: idempotencyKey === undefined ? [] : [idempotencyKey],
    });
  } catch (thrown) {
    noteDenied(context, route, { ...actor, actor }, thrown);
    const error = toManagementError(thrown);
    if (error.status >= 500) context.log.error({ error: thrown, operation: request.operation }, 'failed');
    return { status: error.status, body: errorBody(error, actor.requestId), headers: {} };
  }
}

/** @throws ControlPlaneError invalid_argument */
function parseSent(json: string): z.output<typeof sentRequest> {
  try {
    return sentRequest.parse(JSON.parse(json));
  } catch {
    throw invalidArgument('the request has other members than the texts `path` and `query`, and `body`');
  }
}

/** Requires exactly the parameters that a URL would have: stores read a condition without a value as none. */
function requireParameters(route: Route, path: Readonly<Record<string, string>>): void {
  const names = parameterNames(route);
  const missing = names.find((name) => (path[name] ?? '') === '');
  if (missing !== undefined) throw invalidField(missing, 'is required in the path');
  const unknown = Object.keys(path).find((name) => !names.includes(name));
  if (unknown !== undefined) throw invalidField(unknown, 'is no parameter of the path');
}

const SCOPES_OF: Record<InstallationRole, ConsoleActor['scopes']> = {
  auditor: SCOPES.filter((scope) => scope.endsWith(':read')),
  operator: SCOPES,
};

function consoleActor({
  email,
  installationRoles = [],
  ip,
  requestId,
  signInId,
  way,
}: UserActor): ConsoleActor {
  const scopes = installationRoles.flatMap((role) => SCOPES_OF[role]);
  return { type: 'console_user', accountId: undefined, email, ip, requestId, scopes, signInId, way };
}

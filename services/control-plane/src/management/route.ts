import { checkJson } from '@model-gateway/shared';
import type { Scope } from '@model-gateway/shared/access';
import { z } from 'zod';
import type { ManagementActor } from '../actors/actor.ts';
import type { ControlPlaneContext } from '../context.ts';
import { invalidInput } from './errors/request-errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Names of the parameters of a path such as `/admin/v1/keys/:id`. */
export type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

type Params<Path extends string> = Readonly<Record<ParamName<Path>, string>>;

/** Functions by which a handler describes its response. */
export interface ResponseOptions {
  /**
   * Says how the answer follows from the resources that the change records, such as with the secret. A
   * repeated request with the same Idempotency-Key gets this answer even if the process ended before the
   * first was sent. Call it before the verb. Without it, the answer is the first resource if the route says
   * `isResource` and has no `secret`; else a repeated request waits for the first.
   * @param responseOf gets the resources after the change, that of the request first
   */
  respondWith(responseOf: (after: object, ...further: object[]) => object): void;
  /** Sets the ETag of a response that is not the resource alone. */
  setEtagOf(resource: object): void;
  /** Sends the ids of data planes that did not confirm a change in time, as `x-gateway-unconfirmed`. */
  noteUnconfirmed(instances: readonly string[]): void;
}

/** A request whose query and body agree with the schemas of its route. */
export interface RouteRequest<Path extends string, Query, Body> extends ResponseOptions {
  /** Authenticated caller. Pass it to every operation that changes something. */
  actor: ManagementActor;
  params: Params<Path>;
  query: Query;
  body: Body;
  /** Aborted when the caller has gone. */
  signal: AbortSignal;
}

interface RouteProperties {
  method: Method;
  /** Unique, such as `createKey`. */
  operationId: string;
  /** Group in the document, such as `Keys`. */
  tag: string;
  /** One line, such as `Create a key`. */
  summary: string;
  /** Markdown. */
  description?: string;
  /** True: the route concerns the installation, and an admin key that is bound to an account gets 403. */
  isInstallationWide?: boolean;
  /** True: the route needs an admin key that is bound to an account; others get 403. */
  isOfAccount?: boolean;
  /** True: gatewayctl calls the route, and audit events have the way `cli` instead of `api`. */
  isGatewayctl?: boolean;
  /** Status of success; absent: 201 for POST, otherwise 200. */
  status?: 200 | 201;
  /** Absent: 1 MiB. */
  maxBodyBytes?: number;
  /** True: the response is a resource, in the form that audit events show, and gets an ETag. */
  isResource?: boolean;
  /** Member of the response that is sent only once and is no part of the resource, such as `key`. */
  secret?: string;
  /** Absent: a PATCH needs If-Match, other methods may have it. `none`: compatible APIs have no If-Match. */
  ifMatch?: 'needed' | 'none';
  /** Schema of its error responses; absent: the usual envelope. */
  errors?: z.ZodType;
}

export interface RouteDefinition<
  Path extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Response extends z.ZodType,
> extends RouteProperties {
  /** Parameters as `:name`. */
  path: Path;
  /** Scope that the admin key needs; undefined: any valid key. A function reads it from the parameters. */
  scope: Scope | ((params: Params<Path>) => Scope | undefined) | undefined;
  /** Unknown members are refused. */
  query?: Query;
  /** Unknown members are refused; nested objects must be strict themselves. Absent: no body. */
  body?: Body;
  response: Response;
  /** @throws ManagementError, ControlPlaneError */
  handle(
    context: ControlPlaneContext,
    request: RouteRequest<Path, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Response>>;
}

/** A request before its query and body are checked. */
export interface UncheckedRequest extends ResponseOptions {
  actor: ManagementActor;
  params: Readonly<Record<string, string>>;
  query: unknown;
  /** Undefined: none was sent. */
  body: unknown;
  signal: AbortSignal;
}

/** Route with erased types, so that routes fit into one list. */
export interface Route extends RouteProperties {
  path: string;
  /** Undefined: any valid key, or it depends on the parameters. */
  scope: Scope | undefined;
  scopeOf(params: Readonly<Record<string, string>>): Scope | undefined;
  isGatewayctl?: boolean;
  status: 200 | 201;
  maxBodyBytes: number;
  query: z.ZodObject;
  body: z.ZodType | undefined;
  response: z.ZodType;
  /** Checks query and body, and serves the request. @throws ManagementError, ControlPlaneError */
  serve(context: ControlPlaneContext, request: UncheckedRequest): Promise<unknown>;
}

const MAX_BODY_BYTES = 1024 * 1024;
const NO_QUERY = z.strictObject({});

/** Defines a route of the management API: its types, its place in the document and its handler. */
export function route<
  const Path extends string,
  Response extends z.ZodType,
  Query extends z.ZodObject = typeof NO_QUERY,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: RouteDefinition<Path, Query, Body, Response>): Route {
  const { handle, scope, ...common } = definition;
  const query: z.ZodObject = (definition.query ?? NO_QUERY).strict();
  const body: z.ZodType | undefined =
    definition.body instanceof z.ZodObject ? definition.body.strict() : definition.body;
  return {
    maxBodyBytes: MAX_BODY_BYTES,
    ...common,
    status: definition.status ?? (definition.method === 'POST' ? 201 : 200),
    query,
    body,
    scope: typeof scope === 'function' ? undefined : scope,
    scopeOf: (params) => (typeof scope === 'function' ? scope(params as Params<Path>) : scope),
    serve: (context, request) =>
      handle(context, {
        ...request,
        params: request.params as Params<Path>,
        query: parse(query, request.query, 'query') as z.output<Query>,
        body: (body &&
          parse(body, bodyOf(definition.method, request.body), 'request body')) as z.output<Body>,
      }),
  };
}

/** Returns the names of the parameters of a route's path. */
export function parameterNames({ path }: Pick<Route, 'path'>): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}

/** No body is an empty object, except for PUT, where that would reset everything. */
function bodyOf(method: Method, body: unknown): unknown {
  return body === undefined && method !== 'PUT' ? {} : body;
}

/** @throws ManagementError 422 unknown_field, 400 */
function parse(schema: z.ZodType, value: unknown, where: 'request body' | 'query'): unknown {
  const parsed = checkJson(schema, value);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error, where);
}

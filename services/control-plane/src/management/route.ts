import type { Scope } from '@model-gateway/shared';
import { plainWords } from '@model-gateway/shared';
import { z } from 'zod';
import type { AdminKeyActor } from '../actors/actor.ts';
import type { ControlPlaneContext } from '../context.ts';
import { invalidInput } from './errors/request-errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Names of the parameters of a path such as `/admin/v1/keys/:id`. */
export type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** A request whose query and body agree with the schemas of its route. */
export interface RouteRequest<Path extends string, Query, Body> {
  /** Authenticated caller: pass it to every verb that changes something. */
  actor: AdminKeyActor;
  params: Readonly<Record<ParamName<Path>, string>>;
  query: Query;
  body: Body;
  /** Aborted when the caller has gone. */
  signal: AbortSignal;
  /** Sends the ids of data planes that did not confirm a change in time, as `x-gateway-unconfirmed`. */
  noteUnconfirmed(instances: readonly string[]): void;
}

export interface RouteDefinition<
  Path extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> {
  method: Method;
  /** Parameters as `:name`. */
  path: Path;
  /** Unique, such as `createKey`. */
  operationId: string;
  /** Group in the document, such as `Keys`. */
  tag: string;
  /** One line, such as `Create a key`. */
  summary: string;
  /** Markdown. */
  description?: string;
  /** Scope that the admin key needs; undefined: any valid key. A function reads it from the parameters. */
  scope: Scope | ((params: Readonly<Record<ParamName<Path>, string>>) => Scope) | undefined;
  /** `installation`: an admin key that is bound to an account gets 403. */
  reach?: 'installation';
  /** Way of the actor; absent: `api`. */
  way?: 'cli';
  /** Status of success; absent: 201 for POST, otherwise 200. */
  status?: 200 | 201;
  /** Unknown members are refused. */
  query?: Query;
  /** Unknown members are refused; nested objects must be strict themselves. */
  body?: Body;
  /** Default: 1 MiB. */
  maxBodyBytes?: number;
  /**
   * Schema of the answer. A resource, whose audit rows have the same form, gets an ETag: set `isResource`.
   */
  answer: Answer;
  isResource?: boolean;
  /** Member of the answer that is sent only once, such as `key`. */
  secret?: string;
  /** @throws ManagementError, ControlPlaneError */
  handle(
    context: ControlPlaneContext,
    request: RouteRequest<Path, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Answer>>;
}

/** A request before its query and body are checked. */
export type UncheckedRequest = Omit<RouteRequest<string, unknown, unknown>, 'params'> & {
  params: Readonly<Record<string, string>>;
};

/** A route whose types are erased, so that routes fit into one list. */
export interface Route {
  method: Method;
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string | undefined;
  scopeOf(params: Readonly<Record<string, string>>): Scope | undefined;
  /** For the document; undefined: it depends on the request, or any key will do. */
  scope: Scope | undefined;
  reach: 'installation' | undefined;
  way: 'api' | 'cli';
  status: 200 | 201;
  query: z.ZodObject;
  /** Undefined: the route takes no body. */
  body: z.ZodType | undefined;
  maxBodyBytes: number;
  answer: z.ZodType;
  isResource: boolean;
  secret: string | undefined;
  /** Checks query and body, and serves the request. @throws ManagementError, ControlPlaneError */
  serve(context: ControlPlaneContext, request: UncheckedRequest): Promise<unknown>;
}

const MAX_BODY_BYTES = 1024 * 1024;
const NO_QUERY = z.strictObject({});

/** Defines a route of the management API: its types, its document and its handler. */
export function route<
  const Path extends string,
  Answer extends z.ZodType,
  Query extends z.ZodObject = typeof NO_QUERY,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: RouteDefinition<Path, Query, Body, Answer>): Route {
  const { body, description, handle, isResource = false, maxBodyBytes = MAX_BODY_BYTES } = definition;
  const { method, operationId, path, reach, scope, secret, summary, tag, way = 'api' } = definition;
  const query = (definition.query ?? NO_QUERY).strict() as Query;
  const strictBody = body instanceof z.ZodObject ? (body.strict() as z.ZodType as Body) : body;
  const paramsOf = (params: Readonly<Record<string, string>>) =>
    params as Readonly<Record<ParamName<Path>, string>>;
  return {
    ...{ answer: definition.answer, description, isResource, maxBodyBytes, method, operationId, path },
    ...{ query, reach, secret, summary, tag, way },
    body: strictBody,
    scope: typeof scope === 'function' ? undefined : scope,
    scopeOf: (params) => (typeof scope === 'function' ? scope(paramsOf(params)) : scope),
    status: definition.status ?? (method === 'POST' ? 201 : 200),
    serve: (context, request) =>
      handle(context, {
        ...request,
        params: paramsOf(request.params),
        query: parse(query, request.query, 'query'),
        body: strictBody === undefined ? noBody() : parse(strictBody, request.body ?? {}, 'request body'),
      }),
  };
}

/** @throws ManagementError 422 unknown_field, 400 */
function parse<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where: 'request body' | 'query',
): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: plainWords });
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error, where);
}

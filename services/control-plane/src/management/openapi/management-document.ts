import { VERSION } from '@model-gateway/service-kit';
import type { ZodType } from 'zod';
import { createDocument, type oas32, type ZodOpenApiOperationObject } from 'zod-openapi';
import { parameterNames, type Route } from '../route.ts';
import { errorResponses } from './error-responses.ts';
import { conditionParameters, SUCCESS_HEADERS } from './headers.ts';

const DESCRIPTION = `Manages accounts, keys, teams, pools, rules and the catalog of a gateway. Send an admin key as
\`Authorization: Bearer gw_admin_…\`. \`gatewayctl admin-keys create\` makes the first one.

- **Objects** have an ETag. A \`PATCH\` needs it as \`If-Match\`, so that it overwrites no other change.
- **Lists** are newest first. \`next_cursor\` is the \`cursor\` of the next page.
- **Repeats**: send an \`Idempotency-Key\` with a \`POST\`. The same request with the same key gets the first response for
  24 hours, with \`idempotency-replayed: true\`. Refusals are not kept: the same request is tried again.
- **Unknown fields** are refused with 422.
- **Errors** have one envelope. \`error.code\` is stable; \`error.message\` says what to do next.`;

export interface DocumentOptions {
  /** Forbids undocumented fields in responses: for checks, not for clients. */
  closed?: boolean;
}

/** Returns the OpenAPI 3.1 document of these routes, from the schemas that serve them. */
export function managementDocument(
  routes: readonly Route[],
  { closed = false }: DocumentOptions = {},
): oas32.OpenAPIObject {
  const byPath = Map.groupBy(routes, ({ path }) => path);
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Model Gateway management API',
        version: VERSION,
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This gateway' }],
      tags: tags.map((name) => ({ name })),
      paths: Object.fromEntries(
        [...byPath].map(([path, onPath]) => [
          path.replace(/:(\w+)/g, '{$1}'),
          Object.fromEntries(onPath.map((route) => [route.method.toLowerCase(), operationOf(route)])),
        ]),
      ),
      components: {
        securitySchemes: {
          adminKey: { type: 'http', scheme: 'bearer', bearerFormat: 'gw_admin_…' },
        },
      },
    },
    {
      override: ({ jsonSchema }) => {
        // These are bounds of JavaScript, not of the interface.
        if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
        if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
        if (!closed && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      },
      allowEmptySchema: { custom: true },
    },
  );
}

function operationOf(route: Route): ZodOpenApiOperationObject {
  const { body, description, isInstallationWide, operationId, query, response, scope, status, summary } =
    route;
  const scopes = scope === undefined ? '' : `Scope: \`${scope}\`.`;
  const bound = isInstallationWide ? 'Not for keys that are bound to an account.' : '';
  return {
    operationId,
    tags: [route.tag],
    summary,
    description: [description, scopes, bound].filter(Boolean).join('\n\n'),
    security: [{ adminKey: [] }],
    parameters: [
      ...parameterNames(route).map((name) => ({
        name,
        in: 'path' as const,
        required: true,
        schema: { type: 'string' as const },
      })),
      ...conditionParameters(route),
    ],
    ...(Object.keys(query.shape).length > 0 && { requestParams: { query } }),
    ...(body !== undefined && { requestBody: { required: true, content: json(body) } }),
    responses: {
      [status]: { description: summary, headers: SUCCESS_HEADERS, content: json(response) },
      ...errorResponses(route),
    },
  };
}

function json(schema: ZodType) {
  return { 'application/json': { schema } };
}

import type { oas32 } from 'zod-openapi';
import { mediaTypeOf, type ObservedResponse } from './check-response.ts';
import { matchOperation } from './match-operation.ts';

/** Names a response by operation, status and media type, such as `POST /v1/rerank 200 application/json`. */
export function responseName(
  document: oas32.OpenAPIObject,
  observed: Pick<ObservedResponse, 'method' | 'route' | 'status' | 'contentType'>,
): string {
  const [, path = 'unknown', method = observed.method] =
    matchOperation(document, observed.method, observed.route)?.pointer ?? [];
  return nameOf(method, path, String(observed.status), mediaTypeOf(observed));
}

/** Lists the names of all successful responses in a document. */
export function successNames({ paths = {} }: oas32.OpenAPIObject): string[] {
  return Object.entries(paths).flatMap(([path, { get, post, delete: remove }]) =>
    Object.entries({ get, post, delete: remove }).flatMap(([method, operation]) =>
      Object.entries(operation?.responses ?? {})
        .filter(([status]) => Number(status) < 400)
        .flatMap(([status, { content }]: [string, oas32.ResponseObject]) =>
          Object.keys(content ?? { '': undefined }).map((type) => nameOf(method, path, status, type)),
        ),
    ),
  );
}

function nameOf(method: string, path: string, status: string, mediaType: string | undefined): string {
  return [method.toUpperCase(), path, status, mediaType].filter(Boolean).join(' ');
}

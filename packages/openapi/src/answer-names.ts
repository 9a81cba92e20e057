import type { oas32 } from 'zod-openapi';
import { type Answer, mediaTypeOf } from './check-answer.ts';
import { matchOperation } from './match-operation.ts';

/** Names an answer by operation, status and media type, such as `POST /v1/rerank 200 application/json`. */
export function answerName(
  document: oas32.OpenAPIObject,
  answer: Pick<Answer, 'method' | 'route' | 'status' | 'contentType'>,
): string {
  const [, path = 'unknown', method = answer.method] =
    matchOperation(document, answer.method, answer.route)?.pointer ?? [];
  return nameOf(method, path, String(answer.status), mediaTypeOf(answer));
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

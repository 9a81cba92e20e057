import { messagesErrorType } from '@model-gateway/shared';
import { z } from 'zod';
import type { oas32 } from 'zod-openapi';
import { ERROR_EXAMPLES } from './error-examples.ts';
import { locateResponse } from './locate-response.ts';
import { openApiDocument } from './openapi-document.ts';
import { valuesOf } from './read-body.ts';
import { SchemaChecks } from './schema-checks.ts';

/** A response that a service sent. */
export interface ObservedResponse {
  method: string;
  /** The requested path without the query, or the path as the document writes it. */
  route: string;
  status: number;
  contentType: string | null;
  headers?: { get(name: string): string | null };
  /** Undefined: unknown, so not checked. */
  body: string | undefined;
}

const envelope = z.looseObject({
  /** Set for an error in Anthropic's form. */
  type: z.literal('error').optional(),
  error: z.looseObject({ code: z.string(), type: z.string() }),
});

let prepared: { document: oas32.OpenAPIObject; schemas: SchemaChecks } | undefined;

/**
 * Compares a response with the document; unknown fields count as differences.
 * @returns the differences; empty when the response is as documented
 */
export function checkResponse(observed: ObservedResponse): string[] {
  prepared ??= prepare();
  const { document, schemas } = prepared;
  const located = locateResponse(document, observed);
  if (typeof located === 'string') return [located];
  const { response, pointer } = located;
  const problems = headerProblems(response, schemas, observed);
  const { body } = observed;
  const mediaType = mediaTypeOf(observed);
  if (response.content === undefined || observed.method.toUpperCase() === 'HEAD') {
    return body === '' || body === undefined ? problems : [...problems, 'has a body, but none is documented'];
  }
  const content = mediaType === undefined ? undefined : response.content[mediaType];
  if (mediaType === undefined || content === undefined) {
    return [...problems, `content type ${observed.contentType} is not documented for ${observed.status}`];
  }
  if (body === undefined) return problems;
  let values: unknown[];
  try {
    values = valuesOf(mediaType, body);
  } catch (error) {
    return [...problems, `the body cannot be read: ${String(error)}`];
  }
  for (const value of values) {
    const problem = schemas.check([...pointer, 'content', mediaType, 'schema'], value);
    if (problem !== undefined) problems.push(problem);
    if (observed.status >= 400) problems.push(...undocumentedCode(content, observed.status, value));
  }
  return problems;
}

function prepare() {
  const document = openApiDocument({ closed: true });
  return { document, schemas: new SchemaChecks(document) };
}

export function mediaTypeOf({ contentType }: Pick<ObservedResponse, 'contentType'>): string | undefined {
  return contentType?.split(';')[0]?.trim().toLowerCase();
}

function headerProblems(
  response: oas32.ResponseObject,
  schemas: SchemaChecks,
  { headers }: ObservedResponse,
): string[] {
  if (headers === undefined) return [];
  return Object.entries(response.headers ?? {}).flatMap(([name, header]) => {
    const component = header.$ref?.slice('#/components/headers/'.length);
    if (component === undefined) return [`the header ${name} is not a component of the document`];
    const problem = schemas.checkHeader(component, headers.get(name));
    return problem === undefined ? [] : [`the header ${name} ${problem}`];
  });
}

/** Returns a problem if the error code has no example in the document, or has another type there. */
function undocumentedCode(
  content: oas32.MediaTypeObject | oas32.ReferenceObject,
  status: number,
  body: unknown,
): string[] {
  const examples: object = 'examples' in content ? (content.examples ?? {}) : {};
  const { data } = envelope.safeParse(body);
  if (data === undefined) return [];
  const { code, type } = data.error;
  if (!Object.hasOwn(examples, code)) return [`error code ${code} is not documented here`];
  const documented =
    data.type === 'error'
      ? messagesErrorType(status)
      : Object.entries(ERROR_EXAMPLES).find(([name]) => name === code)?.[1].error.type;
  return documented === type ? [] : [`error type ${type} is not that of ${code}`];
}

import type { ZodType } from 'zod';
import type { ZodOpenApiContentObject, ZodOpenApiRequestBodyObject } from 'zod-openapi';

/** A required body in one of these media types. */
export function requestBody(content: ZodOpenApiContentObject): ZodOpenApiRequestBodyObject {
  return { required: true, content };
}

/** @param example a request as a caller may send it */
export function jsonBody(schema: ZodType, example: object): ZodOpenApiRequestBodyObject {
  return requestBody({ 'application/json': { schema, example } });
}

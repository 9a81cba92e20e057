import type {
  ZodOpenApiOperationObject,
  ZodOpenApiRequestBodyObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import { errorResponses, MODEL_ERRORS, type RouteError } from './error-responses.ts';
import { cacheDirectives, idempotencyKey, labelHeaders, ownRequestId } from './parameters.ts';
import { KEY_REQUIRED } from './security.ts';

interface ModelRequest extends Pick<ZodOpenApiOperationObject, 'summary' | 'description'> {
  operationId: string;
  requestBody: ZodOpenApiRequestBodyObject;
  success: { 200: ZodOpenApiResponseObject };
  /** Errors besides those of every request to a model. */
  errors?: readonly RouteError[];
}

/** Returns the POST of a route that sends a request to a model. */
export function modelRequest({ operationId, errors = [], requestBody, success, ...texts }: ModelRequest) {
  return {
    post: {
      operationId,
      tags: ['Models'],
      ...texts,
      security: KEY_REQUIRED,
      parameters: [ownRequestId, idempotencyKey, cacheDirectives, ...labelHeaders],
      requestBody,
      responses: { ...success, ...errorResponses(...MODEL_ERRORS, ...errors) },
    },
  };
}

import type { ErrorWriter } from '@model-gateway/service-kit';
import { writeError } from '@model-gateway/service-kit';
import { errorBody, type PublicError } from '@model-gateway/shared';
import { z } from 'zod';

const PREFIX = '/api/v1/';

/** Error in OpenRouter's form: `code` is the HTTP status, the gateway's own code is in `metadata`. */
export const openRouterError = z
  .object({
    error: z.object({
      code: z.int(),
      message: z.string(),
      metadata: z.object({ code: z.string(), param: z.string().nullable(), request_id: z.string() }),
    }),
  })
  .meta({ id: 'OpenRouterError' });

/** Writes an error in the form of the API that the request's path belongs to. */
export const writeManagementError: ErrorWriter = (req, res, error) =>
  writeError(res, error, req.url?.startsWith(PREFIX) ? openRouterErrorBody : errorBody);

function openRouterErrorBody(
  { code, message, param, status }: PublicError,
  requestId: string,
): z.infer<typeof openRouterError> {
  return { error: { code: status, message, metadata: { code, param, request_id: requestId } } };
}

import type { CallManagementApiResponseMessage } from '@model-gateway/contracts';
import type { Response } from 'express';
import { z } from 'zod';
import { changeRequest, readRequest } from '../../wire/management.ts';
import { invalidRequest } from '../errors/request-errors.ts';
import { parseRequest } from '../http/parse-request.ts';
import { type ApiRoute, holderRoute, pathParameter } from './api-route.ts';

/** Catalogs are large. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

const readQuery = z.strictObject({ request: z.string().max(16_384).default('{}') });

/**
 * Operations of the management API, for the pages of the console. The control plane checks the user's role
 * in the installation with each call.
 */
export function managementRoutes(): ApiRoute[] {
  return [
    holderRoute('auditor', 'GET', '/api/management/:operation', async ({ req, res, reads }) => {
      const { request } = parseRequest(readQuery, req.query);
      const response = await reads.callManagementApi({
        operation: pathParameter(req, 'operation'),
        requestJson: JSON.stringify(parseRequest(readRequest, parseJson(request))),
        mayChange: false,
      });
      sendManagementResponse(res, response);
    }),

    holderRoute(
      'auditor',
      'POST',
      '/api/management/:operation',
      async ({ req, res, body, changes }) => {
        const { idempotencyKey, ifMatch, ...request } = parseRequest(changeRequest, body);
        const response = await changes.callManagementApi({
          operation: pathParameter(req, 'operation'),
          requestJson: JSON.stringify(request),
          mayChange: true,
          ...(ifMatch !== undefined && { ifMatch }),
          ...(idempotencyKey !== undefined && { idempotencyKey }),
        });
        sendManagementResponse(res, response);
      },
      { maxBodyBytes: MAX_BODY_BYTES, needsProof: true },
    ),
  ];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidRequest('The parameter `request` is not valid JSON.', error);
  }
}

/** Sends a response of the management API. */
export function sendManagementResponse(
  res: Response,
  { bodyJson, headers, status }: CallManagementApiResponseMessage,
): void {
  res.status(status).set(headers).type('json').send(bodyJson);
}

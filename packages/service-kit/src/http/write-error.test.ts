import { createServer } from 'node:http';
import { type ErrorShape, errorBody } from '@model-gateway/shared';
import { keyRevoked } from '@model-gateway/shared/errors';
import { expect, it } from 'vitest';
import { assignRequestId } from './request-id.ts';
import { writeError } from './write-error.ts';

/** Returns the answer of a server that refuses every request with the same error, in this form. */
async function answered(shape?: ErrorShape) {
  const server = createServer((req, res) => {
    assignRequestId(req, res, undefined);
    writeError(res, keyRevoked(), shape);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  try {
    const response = await fetch(`http://127.0.0.1:${address.port}/`);
    return { response, requestId: response.headers.get('x-request-id') ?? '', body: await response.json() };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it('an error is written in the shape that its caller speaks, with the same status and headers', async () => {
  const own = await answered();
  expect(own.body).toEqual(errorBody(keyRevoked(), own.requestId));
  const other = await answered(({ code, message }, requestId) => ({
    type: 'error',
    error: { type: 'authentication_error', message, code },
    request_id: requestId,
  }));
  const { message } = keyRevoked();
  expect(other.body).toEqual({
    type: 'error',
    error: { type: 'authentication_error', message, code: 'invalid_api_key' },
    request_id: other.requestId,
  });
  for (const { response } of [own, other]) {
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(response.headers.get('cache-control')).toBe('no-store');
  }
});

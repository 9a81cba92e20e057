import { readAll, type TestGateway } from '@model-gateway/test-kit';

/** A request of Responses that any model serves. */
export function responsesBody(more: object = {}): string {
  return JSON.stringify({
    model: 'sim/chat-free',
    max_output_tokens: 64,
    store: false,
    input: 'hello',
    ...more,
  });
}

/** Sends a request of Responses, and reads its response until it ends or breaks off. */
export async function sendResponses(
  gateway: TestGateway,
  rawKey: string | undefined,
  more: object = {},
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${gateway.baseUrl}/v1/responses`, {
    method: 'POST',
    headers: {
      ...(rawKey === undefined ? {} : { authorization: `Bearer ${rawKey}` }),
      'content-type': 'application/json',
      ...headers,
    },
    body: responsesBody(more),
  });
  return { status: response.status, headers: response.headers, ...(await readAll(response)) };
}

import type { TestGateway } from '@model-gateway/test-kit';
import { readAll } from '@model-gateway/test-kit';
import type { MessagesAnswer } from './messages-requests.ts';

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

/** Sends a request of Responses, and reads as much of its answer as there is. */
export async function sendResponses(
  gateway: TestGateway,
  rawKey: string | undefined,
  more: object = {},
  headers: Record<string, string> = {},
): Promise<MessagesAnswer> {
  const response = await fetch(`${gateway.baseUrl}/v1/responses`, {
    method: 'POST',
    headers: {
      ...(rawKey === undefined ? {} : { authorization: `Bearer ${rawKey}` }),
      'content-type': 'application/json',
      ...headers,
    },
    body: responsesBody(more),
  });
  const { text, isBroken } = await readAll(response);
  return { status: response.status, headers: response.headers, text, isBroken };
}

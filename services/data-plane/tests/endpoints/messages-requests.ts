import { readAll, type TestGateway } from '@model-gateway/test-kit';

/** A request of Messages that any model serves. */
export function messagesBody(more: object = {}): string {
  return JSON.stringify({
    model: 'sim/chat-free',
    max_tokens: 64,
    messages: [{ role: 'user', content: 'hello' }],
    ...more,
  });
}

/** Sends a request of Messages, and reads its response until it ends or breaks off. */
export async function sendMessages(
  gateway: TestGateway,
  rawKey: string | undefined,
  more: object = {},
  headers: Record<string, string> = {},
) {
  const response = await fetch(`${gateway.baseUrl}/v1/messages?beta=true`, {
    method: 'POST',
    headers: {
      ...(rawKey === undefined ? {} : { 'x-api-key': rawKey }),
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      ...headers,
    },
    body: messagesBody(more),
  });
  return { status: response.status, headers: response.headers, ...(await readAll(response)) };
}

import type { TestGateway } from '@model-gateway/test-kit';
import { readAll } from '@model-gateway/test-kit';

/** A request of Messages that any model serves. */
export function messagesBody(more: object = {}): string {
  return JSON.stringify({
    model: 'sim/chat-free',
    max_tokens: 64,
    messages: [{ role: 'user', content: 'hello' }],
    ...more,
  });
}

export interface MessagesAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** True where the connection was broken off. */
  isBroken: boolean;
}

/** Sends a request of Messages, and reads as much of its answer as there is. */
export async function sendMessages(
  gateway: TestGateway,
  rawKey: string | undefined,
  more: object = {},
  headers: Record<string, string> = {},
): Promise<MessagesAnswer> {
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
  const { text, isBroken } = await readAll(response);
  return { status: response.status, headers: response.headers, text, isBroken };
}

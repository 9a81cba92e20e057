import type { TestGateway } from '@model-gateway/test-kit';
import { z } from 'zod';

export interface Answered {
  status: number;
  headers: Headers;
  body: string;
}

/** Sends a request to a route of Responses. @param body leave it out to send none */
export async function askResponses(
  { baseUrl }: Pick<TestGateway, 'baseUrl'>,
  rawKey: string,
  {
    body,
    method = body === undefined ? 'GET' : 'POST',
    path = '',
  }: { method?: string; path?: string; body?: object },
): Promise<Answered> {
  const response = await fetch(`${baseUrl}/v1/responses${path}`, {
    method,
    headers: {
      authorization: `Bearer ${rawKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const answered = z.looseObject({
  id: z.string(),
  model: z.string(),
  previous_response_id: z.string().nullish(),
});

/** Parses the response object of a body. @throws when there is none */
export function responseOf({ body }: Answered) {
  return answered.parse(JSON.parse(body));
}

/** Returns the names and data of the events of a stream. */
export function eventsOf({ body }: Pick<Answered, 'body'>): { name: string; data: string }[] {
  return [...body.matchAll(/^event: (.+)\ndata: (.+)$/gm)].map(([, name = '', data = '']) => ({
    name,
    data,
  }));
}

import { checkAnswer } from '@model-gateway/openapi';

/**
 * Holds an answer to the OpenAPI document: status, headers, content type, body, error code.
 * @param method of the request; a Response does not know it
 * @returns the body's text, which can be read only once
 * @throws Error that lists every difference
 */
export async function expectDocumented(response: Response, method = 'GET'): Promise<string> {
  const route = new URL(response.url).pathname;
  const { status, headers } = response;
  const contentType = headers.get('content-type');
  const isStream = contentType?.startsWith('text/event-stream') ?? false;
  const body = isStream ? await readAsFarAsItGoes(response) : await response.text();
  const problems = checkAnswer({ method, route, status, contentType, headers, body });
  if (problems.length > 0) {
    throw new Error(
      `${method} ${route} answered ${status} otherwise than documented:\n${problems.join('\n')}\n${body.slice(0, 2_000)}`,
    );
  }
  return body;
}

/** A stream that failed ends with an error event and a connection that is closed, so nobody hears of its end. */
async function readAsFarAsItGoes({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of body ?? []) text += decoder.decode(bytes, { stream: true });
  } catch (error) {
    if (!text.includes('"error"')) throw error;
  }
  return text;
}

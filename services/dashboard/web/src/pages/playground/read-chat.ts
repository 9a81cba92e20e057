import { ApiError } from '../../api/client.ts';
import { type ChatPart, chatParts } from './chat-part.ts';
import { EventParser } from './event-parser.ts';

/**
 * Reads a streamed answer as it arrives.
 * @throws {ApiError} when it fails in the middle or ends too early; an abort is passed on
 */
export async function* readChat(response: Response): AsyncGenerator<ChatPart> {
  const requestId = response.headers.get('x-request-id');
  const parser = new EventParser();
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      if (done) break;
      for (const data of parser.push(value)) {
        for (const part of chatParts(data)) {
          if (part.kind === 'end') return;
          if (part.kind === 'failed') {
            throw new ApiError(part.message, {
              status: 502,
              code: part.code,
              requestId: part.requestId ?? requestId,
            });
          }
          yield part;
        }
      }
    }
  } catch (error) {
    if (error instanceof ApiError || isAbort(error)) throw error;
    throw brokenOff(requestId);
  } finally {
    // An unread rest would keep the connection open.
    await reader?.cancel().catch(() => undefined);
  }
  throw brokenOff(requestId);
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

function brokenOff(requestId: string | null): ApiError {
  return new ApiError('The answer broke off before its end. You are charged only for what has arrived.', {
    status: 502,
    code: 'broken_off',
    requestId,
  });
}

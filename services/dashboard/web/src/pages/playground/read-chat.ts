import type { PlaygroundApi } from '../../../../wire/playground.ts';
import { ApiError, isAbort } from '../../api/client.ts';
import type { ChatPart } from './chat-part.ts';
import { EventParser } from './event-parser.ts';
import { parseEvent } from './parse-event.ts';

/**
 * Yields the parts of a streamed response as they arrive.
 * @throws {ApiError} if it fails midway or ends early; an abort is rethrown
 */
export async function* readChat(response: Response, api: PlaygroundApi): AsyncGenerator<ChatPart> {
  const requestId = response.headers.get('x-request-id');
  const parser = new EventParser();
  const reader = response.body?.getReader();
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      if (done) break;
      for (const data of parser.push(value)) {
        for (const part of parseEvent(api, data)) {
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
    // Closes the connection if the body was not read to its end.
    await reader?.cancel().catch(() => undefined);
  }
  throw brokenOff(requestId);
}

function brokenOff(requestId: string | null): ApiError {
  return new ApiError('The response ended early. You are charged only for what arrived.', {
    status: 502,
    code: 'broken_off',
    requestId,
  });
}

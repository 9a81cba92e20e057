import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorBody, errorBody, type PublicError } from '@model-gateway/shared';

/** Headers of an HTTP response that a client of a WebSocket may need. */
const SHOWN = /^(?:x-(?!accel-)|ratelimit|retry-after$)/;

/** Returns the headers of a response for its first frame. */
export function shownHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (typeof value === 'string' && SHOWN.test(name)) shown[name] = value;
  return shown;
}

/** Adds members to the front of an event, whose other bytes stay as they are. */
export function withMembers(event: string, members: Readonly<Record<string, unknown>>): string {
  const added = JSON.stringify(members).slice(1, -1);
  if (added === '' || !event.startsWith('{')) return event;
  return `{${added},${event.slice(1)}`;
}

/** An error in the form in which OpenAI sends it over WebSocket. */
export interface ErrorFrame {
  type: 'error';
  status: number;
  stream_id?: string | undefined;
  error: ErrorBody['error'];
  headers: Record<string, string>;
}

export function errorFrame(error: PublicError, requestId: string, streamId?: string): ErrorFrame {
  return {
    type: 'error',
    status: error.status,
    stream_id: streamId,
    error: errorBody(error, requestId).error,
    headers: { ...error.headers, 'x-request-id': requestId },
  };
}

import { MAX_UNIX_SECONDS } from '@model-gateway/shared';
import { invalidArgument } from '../errors/control-plane-error.ts';
import { decodeRequestCursor, type RequestCursor } from './request-cursor.ts';

export interface PageQuery {
  startMs: number;
  endMs: number;
  limit: number;
  /** Last request of the previous page; undefined: start with the newest. */
  after: RequestCursor | undefined;
}

const MAX_LIMIT = 1_000;
const MAX_UNIX_MS = MAX_UNIX_SECONDS * 1_000;

/**
 * @param request times as text in Unix milliseconds; without them, from the first request to the newest
 * @throws ControlPlaneError invalid_argument
 */
export function parsePageQuery(request: {
  startMs?: string | undefined;
  endMs?: string | undefined;
  limit: number;
  pageToken?: string | undefined;
}): PageQuery {
  const startMs = milliseconds('start_ms', request.startMs ?? '0');
  const endMs = milliseconds('end_ms', request.endMs ?? String(MAX_UNIX_MS));
  if (startMs >= endMs) throw invalidArgument('start_ms must be before end_ms');
  if (request.limit < 1 || request.limit > MAX_LIMIT)
    throw invalidArgument(`limit must be 1 to ${MAX_LIMIT}`);
  return { startMs, endMs, limit: request.limit, after: cursorOf(request.pageToken) };
}

function cursorOf(pageToken: string | undefined): RequestCursor | undefined {
  if (pageToken === undefined) return undefined;
  const cursor = decodeRequestCursor(pageToken);
  if (cursor === undefined || cursor.endedAtMs > MAX_UNIX_MS) {
    throw invalidArgument('page_token must come from an earlier page');
  }
  return cursor;
}

function milliseconds(name: string, text: string): number {
  const value = Number(text);
  if (value < 0 || value > MAX_UNIX_MS) throw invalidArgument(`${name} must be Unix milliseconds`);
  return value;
}

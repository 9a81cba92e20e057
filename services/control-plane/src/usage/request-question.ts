import type { ListHolderRequestsRequestMessage } from '@model-gateway/contracts';
import { MAX_UNIX_SECONDS } from '@model-gateway/shared';
import { ControlPlaneError } from '../control-plane-error.ts';
import { decodePlace, type PagePlace } from './request-page.ts';

/** A ListHolderRequestsRequest that can be answered. */
export interface RequestQuestion {
  accountId: string;
  /** Undefined: only what is on no seat. */
  seatId: string | undefined;
  /** Unix milliseconds; `endMs` is not part of it. */
  startMs: number;
  endMs: number;
  modelId: string | undefined;
  keyId: string | undefined;
  /** issued, playground or demo */
  keyKind: string | undefined;
  /** What was refused before a provider got it is listed, too. */
  withRefused: boolean;
  limit: number;
  /** The place to go on from; undefined: the newest. */
  after: PagePlace | undefined;
}

const MAX_LIMIT = 1_000;
const KEY_KINDS = ['issued', 'playground', 'demo'];
const MAX_UNIX_MS = MAX_UNIX_SECONDS * 1_000;

/** @throws ControlPlaneError invalid_argument */
export function requestQuestion(request: ListHolderRequestsRequestMessage): RequestQuestion {
  const startMs = milliseconds('start_ms', request.startMs);
  const endMs = milliseconds('end_ms', request.endMs);
  if (startMs >= endMs) throw invalid('start_ms must be before end_ms');
  if (request.limit < 1 || request.limit > MAX_LIMIT) throw invalid(`limit must be 1 to ${MAX_LIMIT}`);
  const { accountId, seatId, modelId, keyId, keyKind, limit, withRefused } = request;
  if (keyKind !== undefined && !KEY_KINDS.includes(keyKind)) {
    throw invalid(`key_kind must be one of ${KEY_KINDS.join(', ')}`);
  }
  const after = placeOf(request.pageToken);
  return { accountId, seatId, startMs, endMs, modelId, keyId, keyKind, withRefused, limit, after };
}

function placeOf(pageToken: string | undefined): PagePlace | undefined {
  if (pageToken === undefined) return undefined;
  const place = decodePlace(pageToken);
  if (place === undefined || place.endedAtMs > MAX_UNIX_MS) {
    throw invalid('page_token must be one of an earlier answer');
  }
  return place;
}

function milliseconds(name: string, text: string): number {
  const value = Number(text);
  if (value < 0 || value > MAX_UNIX_MS) throw invalid(`${name} must be Unix milliseconds`);
  return value;
}

function invalid(message: string): ControlPlaneError {
  return new ControlPlaneError('invalid_argument', message);
}

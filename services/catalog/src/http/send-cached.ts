import { type PreparedAnswer, sendAnswer } from '@model-gateway/api-reference';
import type { Request, Response } from 'express';

/** For how many seconds a client may use its copy (docs/endpoints.md, "GET /v1/models"). */
const MAX_AGE_SECONDS = 5;

export interface SendCachedOptions {
  /** Shared caches must not store the response to an authenticated request. */
  visibility: 'public' | 'private';
  /** Headers of the request, besides Authorization, on which the response depends. */
  dependsOn?: readonly string[];
}

/** Sends JSON that clients may cache for some seconds. */
export function sendCached(
  req: Request,
  res: Response,
  answer: PreparedAnswer,
  { visibility, dependsOn = [] }: SendCachedOptions,
): void {
  sendAnswer(req, res, answer, {
    contentType: 'application/json; charset=utf-8',
    cacheControl: `${visibility}, max-age=${MAX_AGE_SECONDS}`,
    dependsOn: ['Authorization', ...dependsOn],
  });
}

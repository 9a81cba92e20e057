import type { Request, Response } from 'express';
import { PreparedAnswer } from './prepared-answer.ts';
import { sendAnswer } from './send-answer.ts';

/** Lets a client use its copy for five minutes without another request. */
const CACHE_CONTROL = 'public, max-age=300';

/** Content that does not change while the process runs. */
export interface StaticContent {
  contentType: string;
  /** Called once, at the first request. */
  load: () => string | Buffer;
  headers?: Record<string, string>;
  cacheControl?: string;
}

/** Serves the content with an ETag. */
export function staticAnswer({
  contentType,
  load,
  headers = {},
  cacheControl = CACHE_CONTROL,
}: StaticContent) {
  let loaded: PreparedAnswer | undefined;
  return (req: Request, res: Response): void => {
    loaded ??= new PreparedAnswer(load());
    res.set({ 'x-content-type-options': 'nosniff', ...headers });
    sendAnswer(req, res, loaded, { contentType, cacheControl });
  };
}

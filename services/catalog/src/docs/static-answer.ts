import type { Request, Response } from 'express';
import { PreparedAnswer } from '../http/prepared-answer.ts';
import { sendAnswer } from '../http/send-answer.ts';

/** For how many seconds a client may use its copy without another request. */
const MAX_AGE_SECONDS = 300;

/** Content that does not change while the process runs. */
export interface StaticContent {
  contentType: string;
  /** Called once, at the first request. */
  load: () => string | Buffer;
  headers?: Record<string, string>;
}

/** Serves the content with an ETag. */
export function staticAnswer({ contentType, load, headers = {} }: StaticContent) {
  let loaded: PreparedAnswer | undefined;
  return (req: Request, res: Response): void => {
    loaded ??= new PreparedAnswer(load());
    res.set({ 'x-content-type-options': 'nosniff', ...headers });
    sendAnswer(req, res, loaded, { contentType, cacheControl: `public, max-age=${MAX_AGE_SECONDS}` });
  };
}

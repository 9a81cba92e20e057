import type { Request, Response } from 'express';
import type { PreparedAnswer, Representation } from './prepared-answer.ts';

export interface AnswerHead {
  contentType: string;
  cacheControl: string;
  /** Headers of the request, besides Accept-Encoding, on which the response depends. */
  dependsOn?: readonly string[];
}

/** Sends a response with its ETag: compressed if the client accepts that, 304 if the client has a copy. */
export function sendAnswer(
  req: Request,
  res: Response,
  answer: PreparedAnswer,
  { contentType, cacheControl, dependsOn = [] }: AnswerHead,
): void {
  const acceptsGzip = req.acceptsEncodings(['gzip', 'identity']) === 'gzip';
  const acceptsPlain = !acceptsGzip || req.acceptsEncodings('identity') === 'identity';
  const { body, etag, encoding }: Representation = (acceptsGzip ? answer.gzipped() : undefined) ?? answer;
  // The client's copy may come from another process, which sends the same content in the other form.
  const etags = [etag, ...(acceptsGzip ? [answer.gzippedEtag] : []), ...(acceptsPlain ? [answer.etag] : [])];
  const known = etags.find((each) => matchesEtag(req.headers['if-none-match'], each));
  res.setHeader('etag', known ?? etag);
  res.setHeader('cache-control', cacheControl);
  res.setHeader('vary', [...dependsOn, 'Accept-Encoding'].join(', '));
  if (known !== undefined) {
    res.writeHead(304).end();
    return;
  }
  res.writeHead(200, {
    'content-type': contentType,
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    'content-length': body.length,
  });
  res.end(body);
}

/** Compares an If-None-Match header with an ETag, weakly (RFC 9110, section 13.1.2). */
function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((entry) => entry.trim() === '*' || entry.trim().replace(/^W\//, '') === etag);
}

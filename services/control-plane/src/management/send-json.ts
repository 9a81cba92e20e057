import type { IncomingMessage } from 'node:http';
import { clientIp } from '@model-gateway/service-kit';
import type { Response } from 'express';
import type { ControlPlaneContext } from '../context.ts';

export function sendJson(res: Response, status: number, body: unknown): void {
  const text = Buffer.from(JSON.stringify(body));
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': text.length,
    'cache-control': 'no-store',
  });
  res.end(text);
}

export function clientIpOf({ trustProxy }: ControlPlaneContext, req: IncomingMessage): string {
  return clientIp(req, trustProxy);
}

/** Returns a signal that is aborted when the client leaves before its response is complete. */
export function goneSignal(res: Response): AbortSignal {
  const gone = new AbortController();
  const close = () => {
    if (!res.writableFinished) gone.abort();
  };
  if (res.closed) close();
  else res.once('close', close);
  return gone.signal;
}

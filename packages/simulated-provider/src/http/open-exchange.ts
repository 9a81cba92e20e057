import type { ServerResponse } from 'node:http';
import type { ExchangeEnd } from '../request-log.ts';

export interface OpenExchange {
  /** performance.now() */
  receivedAtMs: number;
  signal: AbortSignal;
  closed: Promise<ExchangeEnd>;
  markEnded(): void;
}

/** Watches a response from its beginning to its end. */
export function openExchange(res: ServerResponse): OpenExchange {
  const controller = new AbortController();
  let endedByUs = false;
  const closed = new Promise<ExchangeEnd>((resolve) => {
    // A client that goes away after its request was read is seen only at the response.
    res.once('close', () => {
      const reason = endedByUs || res.writableFinished ? 'completed' : 'client_closed';
      resolve({ atMs: performance.now(), reason });
      controller.abort();
    });
  });
  return {
    receivedAtMs: performance.now(),
    signal: controller.signal,
    closed,
    markEnded: () => {
      endedByUs = true;
    },
  };
}

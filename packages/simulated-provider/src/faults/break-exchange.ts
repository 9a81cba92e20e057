import { type ProviderExchange, pause } from '../http/exchange.ts';
import type { Break } from './due-break.ts';

/**
 * Lets a client read what was sent before a stream breaks. Otherwise the fault could arrive together with the
 * beginning, or a reset could discard the beginning.
 */
const SETTLE_MS = 20;

export async function letClientCatchUp({ signal }: ProviderExchange): Promise<void> {
  await pause(SETTLE_MS, signal);
}

/**
 * Ends or stops an exchange, whether its answer has begun or not.
 * @param truncation `end` closes the answer as if it were complete; `destroy` cuts the connection
 */
export async function breakExchange(
  exchange: ProviderExchange,
  kind: Break,
  truncation: 'end' | 'destroy',
): Promise<void> {
  const { req, res, signal } = exchange;
  if (kind === 'hang') return untilAborted(signal);
  if (res.headersSent) await letClientCatchUp(exchange);
  exchange.markEnded();
  if (kind === 'reset') req.socket.resetAndDestroy();
  else if (truncation === 'end') res.end();
  else req.socket.destroy();
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

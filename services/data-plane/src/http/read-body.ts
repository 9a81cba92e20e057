import { GatewayError } from '@model-gateway/shared';
import { ClientGone, type Exchange } from '../request-record.ts';
import type { BodyBudget } from './body-budget.ts';

/** A body of which no byte arrives for this long is given up. */
const BODY_IDLE_TIMEOUT_MS = 10_000;

/**
 * The whole request body, in the pieces in which it came: a large one is never copied. It takes its room of the budget until the exchange is over.
 * @throws GatewayError 413 over `maxBytes` (at once when Content-Length says so), 408 when the client stalls, 503
 *   when the budget is used up; ClientGone when it leaves
 */
export function readBody(exchange: Exchange, maxBytes: number, budget: BodyBudget): Promise<Buffer[]> {
  const { req, res, stop } = exchange;
  if (stop.signal.aborted) return Promise.reject(stop.signal.reason);
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > maxBytes) return Promise.reject(tooLarge(maxBytes));
  if (req.headers.expect !== undefined) res.writeContinue();
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let taken = 0;
    res.once('close', () => budget.giveBack(taken));
    const settle = (error: unknown) => {
      clearTimeout(idle);
      req.off('data', onData).off('end', onEnd).off('error', onGone);
      stop.signal.removeEventListener('abort', onStop);
      if (error === undefined) resolve(chunks);
      else reject(error);
    };
    const onData = (chunk: Buffer) => {
      idle.refresh();
      size += chunk.length;
      if (size > maxBytes) return settle(tooLarge(maxBytes));
      if (!budget.take(chunk.length)) return settle(overloaded());
      taken += chunk.length;
      chunks.push(chunk);
    };
    const onEnd = () => settle(undefined);
    const onGone = () => settle(new ClientGone());
    const onStop = () => settle(stop.signal.reason);
    const idle = setTimeout(() => {
      const message = `No byte of the request body arrived for ${BODY_IDLE_TIMEOUT_MS / 1_000} s. Send it again.`;
      settle(new GatewayError('request_timeout', message, { headers: { connection: 'close' } }));
    }, BODY_IDLE_TIMEOUT_MS);
    req.on('data', onData).on('end', onEnd).on('error', onGone);
    stop.signal.addEventListener('abort', onStop);
  });
}

function overloaded(): GatewayError {
  return new GatewayError(
    'overloaded',
    'The gateway is reading too many large requests at the moment. Retry in a second.',
  );
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', `The request body may have at most ${maxBytes} bytes.`);
}

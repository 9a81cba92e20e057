import { type handleUnaryCall, status } from '@grpc/grpc-js';
import type { Logger } from '@model-gateway/service-kit';
import type { ControlPlaneMetrics } from '../control-plane-metrics.ts';
import { callerIsGone, toServiceError } from '../errors/map-error.ts';

export interface UnaryContext {
  log: Logger;
  metrics: Pick<ControlPlaneMetrics, 'calls' | 'callDuration'>;
}

/**
 * Makes a gRPC handler of a function. The function's result is the answer, and everything that it throws is
 * mapped in one place. The signal is aborted when the caller does not wait any more: it has cancelled the
 * call, its deadline is over, or its connection is gone.
 */
export function unary<Request, Response>(
  { log, metrics }: UnaryContext,
  method: string,
  answer: (request: Request, signal: AbortSignal) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return async (call, callback) => {
    const stop = metrics.callDuration.startTimer({ method });
    const gone = new AbortController();
    call.on('cancelled', () => gone.abort());
    try {
      const response = await answer(call.request, gone.signal);
      metrics.calls.inc({ method, status: status[status.OK] });
      callback(null, response);
    } catch (thrown) {
      const error = gone.signal.aborted ? callerIsGone() : toServiceError(log, thrown);
      metrics.calls.inc({ method, status: status[error.code] });
      callback(error);
    } finally {
      stop();
    }
  };
}

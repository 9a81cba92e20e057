import { type handleUnaryCall, status } from '@grpc/grpc-js';
import type { Logger } from '@model-gateway/service-kit';
import type { ControlPlaneMetrics } from '../control-plane-metrics.ts';
import { toServiceError } from './map-error.ts';

export interface UnaryContext {
  log: Logger;
  metrics: Pick<ControlPlaneMetrics, 'calls' | 'callDuration'>;
}

/** Makes a gRPC handler of a function: its result is the answer, what it throws is mapped in one place. */
export function unary<Request, Response>(
  { log, metrics }: UnaryContext,
  method: string,
  answer: (request: Request) => Promise<Response>,
): handleUnaryCall<Request, Response> {
  return async (call, callback) => {
    const stop = metrics.callDuration.startTimer({ method });
    try {
      const response = await answer(call.request);
      metrics.calls.inc({ method, status: status[status.OK] });
      callback(null, response);
    } catch (thrown) {
      const error = toServiceError(log, thrown);
      metrics.calls.inc({ method, status: status[error.code] });
      callback(error);
    } finally {
      stop();
    }
  };
}

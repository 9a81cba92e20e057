import type { AnswerOf, AskOf, MethodOf, ServiceName } from './unary-calls.ts';

/** Unary calls of an operator to the control plane, over gRPC or HTTP. */
export interface ControlPlaneCalls {
  /** Makes a call that may safely run twice. @throws Error with a gRPC status as its `code` */
  call<Service extends ServiceName, Method extends MethodOf<Service>>(
    deadlineMs: number,
    service: Service,
    method: Method,
    ask: AskOf<Service, Method>,
  ): Promise<AnswerOf<Service, Method>>;
  /** Makes a call that must not run twice. @throws Error with a gRPC status as its `code` */
  callOnce<Service extends ServiceName, Method extends MethodOf<Service>>(
    deadlineMs: number,
    service: Service,
    method: Method,
    ask: AskOf<Service, Method>,
  ): Promise<AnswerOf<Service, Method>>;
  close(): void;
}

import type {
  handleUnaryCall,
  ServiceError,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { inBackground } from '@model-gateway/service-kit';
import { actorOf } from './derive-actor.ts';
import type { Method } from './unary.ts';

/** The generated handlers of a service, with a `Method` in place of each unary one. */
export type MethodsOf<Handlers> = {
  [Name in keyof Handlers as string extends Name ? never : Name]: Handlers[Name] extends handleUnaryCall<
    infer Request,
    infer Response
  >
    ? Method<Request, Response>
    : Handlers[Name];
};

export type Methods = Readonly<Record<string, Method<object, object> | UntypedHandleCall>>;

/** Makes gRPC handlers of the methods of a service. Streams are handlers already. */
export function grpcHandlers(methods: Methods): UntypedServiceImplementation {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      typeof method === 'function' ? method : grpcHandler(method),
    ]),
  );
}

/** Aborts the signal when the caller cancels, times out or disconnects. */
function grpcHandler<Request, Response>(
  method: Method<Request, Response>,
): handleUnaryCall<Request, Response> {
  return (call, callback) => {
    const gone = new AbortController();
    call.on('cancelled', () => gone.abort());
    inBackground(
      method.serve(call.request, gone.signal, actorOf(call.metadata)).then(
        (response) => callback(null, response),
        (error: ServiceError) => callback(error),
      ),
    );
  };
}

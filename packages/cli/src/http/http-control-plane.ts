import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AnswerOf,
  type AskOf,
  type ControlPlaneCalls,
  GRPC_STATUS_HEADER,
  GrpcStatus,
  type MethodOf,
  RPC_PATH,
  type ServiceName,
  type UnaryCall,
  unaryCall,
} from '@model-gateway/contracts';
import { z } from 'zod';
import { connectionError, HttpCallError, responseError } from './http-call-error.ts';

export interface HttpControlPlaneOptions {
  /** URL of the management API without a slash at its end: `https://gateway.example.com:8091`. */
  url: string;
  /** Admin key: `gw_admin_…`. Only this URL gets it, because redirects are not followed. */
  token: string;
}

/** Wait before a call that may run twice is repeated after a lost connection. */
const RETRY_MS = 200;

const rpcStatus = z.enum(GrpcStatus);

/** Id that the gateway gives each request: another server's JSON is not taken for its own. */
const REQUEST_ID = /^req_[0-9A-Za-z]{24}$/;

/** Calls the control plane through its management API, with the methods and messages of gRPC. */
export class HttpControlPlane implements ControlPlaneCalls {
  readonly #options: HttpControlPlaneOptions;

  constructor(options: HttpControlPlaneOptions) {
    this.#options = options;
  }

  /** Repeats the call after a rate limit, and once after a lost connection. @throws HttpCallError */
  call<Service extends ServiceName, Method extends MethodOf<Service>>(
    deadlineMs: number,
    service: Service,
    method: Method,
    ask: AskOf<Service, Method>,
  ): Promise<AnswerOf<Service, Method>> {
    return this.#call(deadlineMs, unaryCall(service, method, ask), JSON.stringify(ask), true);
  }

  /** Repeats the call only after a rate limit, which has refused it. @throws HttpCallError */
  callOnce<Service extends ServiceName, Method extends MethodOf<Service>>(
    deadlineMs: number,
    service: Service,
    method: Method,
    ask: AskOf<Service, Method>,
  ): Promise<AnswerOf<Service, Method>> {
    return this.#call(deadlineMs, unaryCall(service, method, ask), JSON.stringify(ask), false);
  }

  /** Does nothing: connections of `fetch` do not keep a process running. */
  close(): void {}

  async #call<Received>(
    deadlineMs: number,
    call: UnaryCall<Received>,
    body: string,
    mayRunTwice: boolean,
  ): Promise<Received> {
    const endsAtMs = performance.now() + deadlineMs;
    const signal = AbortSignal.timeout(deadlineMs);
    for (let mayRepeat = mayRunTwice; ; ) {
      try {
        return await this.#send(call, body, signal);
      } catch (error) {
        const isRepeated = mayRepeat && isLostConnection(error);
        const waitMs = isRepeated
          ? RETRY_MS
          : error instanceof HttpCallError
            ? error.retryAfterMs
            : undefined;
        if (waitMs === undefined || performance.now() + waitMs > endsAtMs) throw error;
        mayRepeat &&= !isRepeated;
        await sleep(waitMs);
      }
    }
  }

  async #send<Received>(call: UnaryCall<Received>, body: string, signal: AbortSignal): Promise<Received> {
    const { token, url } = this.#options;
    const [response, text] = await exchange(`${url}${RPC_PATH}/${call.path.replace('/gateway.v1.', '')}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body,
      redirect: 'manual',
      signal,
    });
    const json = parseJson(text);
    const isOfGateway = REQUEST_ID.test(response.headers.get('x-request-id') ?? '');
    if (response.ok && isOfGateway && typeof json === 'object' && json !== null) return call.readJson(json);
    const status = rpcStatus.safeParse(Number(response.headers.get(GRPC_STATUS_HEADER) ?? Number.NaN)).data;
    throw responseError(response, status, json);
  }
}

async function exchange(url: string, init: RequestInit): Promise<[Response, string]> {
  try {
    const response = await fetch(url, init);
    return [response, await response.text()];
  } catch (error) {
    throw connectionError(error);
  }
}

function isLostConnection(error: unknown): boolean {
  return (
    error instanceof HttpCallError && error.failure === 'connection' && error.code === GrpcStatus.UNAVAILABLE
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

import type { ControlPlaneContext } from '../context.ts';
import type { Provider } from './authenticate.ts';

export interface ScimRequest extends Provider {
  /** Id in the path; empty where it has none. */
  id: string;
  query: Readonly<Record<string, unknown>>;
  body: unknown;
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  /** Aborted when the caller has gone. */
  signal: AbortSignal;
}

export interface ScimResponse {
  status: number;
  /** Undefined: no body. */
  body?: object;
  headers?: Record<string, string>;
}

export interface ScimRoute {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  /** @throws ScimError, ControlPlaneError */
  handle(context: ControlPlaneContext, request: ScimRequest): Promise<ScimResponse>;
}

import type { CallOptions, ClientUnaryCall, Metadata, requestCallback } from '@grpc/grpc-js';
import type { ControlPlaneStubs } from './control-plane-stubs.ts';
import type { SignedInUser__Output as SignedInUserMessage } from './generated/gateway/v1/SignedInUser.ts';
import { withSignedInUser } from './signed-in-user.ts';

export type ServiceName = keyof ControlPlaneStubs;

/** The form of a generated stub of a unary call. Of a stub's overloads, TypeScript infers from this one. */
type UnaryStub<Ask, Answer> = (ask: Ask, callback: requestCallback<Answer>) => ClientUnaryCall;

/** The names of a service's calls that have one question and one answer, beginning with a small letter. */
export type MethodOf<Service extends ServiceName> = {
  [Name in keyof ControlPlaneStubs[Service]]: Name extends Uncapitalize<Name & string>
    ? // Streams and the client's own methods, such as `close`, are left out: one argument is enough for them.
      ControlPlaneStubs[Service][Name] extends (only: never) => unknown
      ? never
      : ControlPlaneStubs[Service][Name] extends UnaryStub<never, infer _>
        ? Name
        : never
    : never;
}[keyof ControlPlaneStubs[Service]];

/** The message that a call sends. */
export type AskOf<Service extends ServiceName, Method extends MethodOf<Service>> =
  ControlPlaneStubs[Service][Method] extends UnaryStub<infer Sent, infer _> ? Sent : never;

/** The message that answers it. */
export type AnswerOf<Service extends ServiceName, Method extends MethodOf<Service>> =
  ControlPlaneStubs[Service][Method] extends UnaryStub<infer _, infer Received> ? Received : never;

/** A call with its question, which any control plane may be sent. */
export interface UnaryCall<Received> {
  /** The method's name on the wire: `/gateway.v1.AdminService/GetStatus`. */
  path: string;
  /** Starts the call on the stubs of one address. */
  start: (
    stubs: ControlPlaneStubs,
    metadata: Metadata,
    options: CallOptions,
    callback: requestCallback<Received>,
  ) => ClientUnaryCall;
}

/** The stubs, in a form that lets TypeScript follow a service and a method that are parameters. */
type UnaryCalls = {
  [Service in ServiceName]: {
    [Method in MethodOf<Service>]: (
      ask: AskOf<Service, Method>,
      metadata: Metadata,
      options: CallOptions,
      callback: requestCallback<AnswerOf<Service, Method>>,
    ) => ClientUnaryCall;
  };
};

const SERVICES: Readonly<Record<ServiceName, string>> = {
  accounts: 'AccountService',
  admin: 'AdminService',
  billing: 'BillingService',
  catalog: 'CatalogService',
  dashboard: 'DashboardService',
  keys: 'KeyService',
  pools: 'PoolService',
  teams: 'TeamService',
};

/** @param user who is signed in to the dashboard and makes the call; undefined: nobody */
export function unaryCall<Service extends ServiceName, Method extends MethodOf<Service>>(
  service: Service,
  method: Method,
  ask: AskOf<Service, Method>,
  user?: SignedInUserMessage,
): UnaryCall<AnswerOf<Service, Method>> {
  const name = String(method);
  return {
    path: `/gateway.v1.${SERVICES[service]}/${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    start: (stubs, metadata, options, callback) => {
      const calls: UnaryCalls = stubs;
      const sent = user === undefined ? metadata : withSignedInUser(metadata, user);
      return calls[service][method](ask, sent, options, callback);
    },
  };
}

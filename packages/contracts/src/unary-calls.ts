import type {
  CallOptions,
  ClientUnaryCall,
  Metadata,
  requestCallback,
  ServiceDefinition,
} from '@grpc/grpc-js';
import type { ControlPlaneStubs } from './control-plane-stubs.ts';
import type { SignedInUser__Output as SignedInUserMessage } from './generated/gateway/v1/SignedInUser.ts';
import { gatewayProto } from './proto.ts';
import { withSignedInUser } from './signed-in-user.ts';

export type ServiceName = keyof ControlPlaneStubs;

/** Overload of a generated unary stub that TypeScript infers from. */
type UnaryStub<Ask, Answer> = (ask: Ask, callback: requestCallback<Answer>) => ClientUnaryCall;

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

export type AskOf<Service extends ServiceName, Method extends MethodOf<Service>> =
  ControlPlaneStubs[Service][Method] extends UnaryStub<infer Sent, infer _> ? Sent : never;

export type AnswerOf<Service extends ServiceName, Method extends MethodOf<Service>> =
  ControlPlaneStubs[Service][Method] extends UnaryStub<infer _, infer Received> ? Received : never;

/** Unary call that any control plane may answer. */
export interface UnaryCall<Received> {
  /** Name on the wire: `/gateway.v1.AdminService/GetStatus`. */
  path: string;
  /** Returns the bytes of the request that is sent. */
  serialize: () => Buffer;
  /**
   * Converts a response in JSON to the form that gRPC delivers. @throws Error when a field has another type
   */
  readJson: (response: object) => Received;
  start: (
    stubs: ControlPlaneStubs,
    metadata: Metadata,
    options: CallOptions,
    callback: requestCallback<Received>,
  ) => ClientUnaryCall;
}

/** Form of the stubs that lets TypeScript infer from service and method parameters. */
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

const SERVICES = {
  accounts: 'AccountService',
  admin: 'AdminService',
  audit: 'AuditService',
  billing: 'BillingService',
  catalog: 'CatalogService',
  dashboard: 'DashboardService',
  keys: 'KeyService',
  members: 'MemberService',
  pools: 'PoolService',
  rules: 'RulesService',
  scim: 'ScimService',
  teams: 'TeamService',
  webhooks: 'WebhookService',
} as const satisfies Record<ServiceName, string>;

/** @param user signed-in user; undefined: none */
export function unaryCall<Service extends ServiceName, Method extends MethodOf<Service>>(
  service: Service,
  method: Method,
  ask: AskOf<Service, Method>,
  user?: SignedInUserMessage,
): UnaryCall<AnswerOf<Service, Method>> {
  const name = String(method);
  const methodName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const definition = () => {
    const methods: ServiceDefinition = gatewayProto[SERVICES[service]].service;
    const found = methods[methodName];
    if (found === undefined) throw new Error(`${SERVICES[service]} has no method ${methodName}`);
    return found;
  };
  return {
    path: `/gateway.v1.${SERVICES[service]}/${methodName}`,
    serialize: () => definition().requestSerialize(ask),
    readJson: (response) => {
      const { responseDeserialize, responseSerialize } = definition();
      return responseDeserialize(responseSerialize(response));
    },
    start: (stubs, metadata, options, callback) => {
      const calls: UnaryCalls = stubs;
      const sent = user === undefined ? metadata : withSignedInUser(metadata, user);
      return calls[service][method](ask, sent, options, callback);
    },
  };
}

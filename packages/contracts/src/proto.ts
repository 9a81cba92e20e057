import { type MethodDefinition, makeClientConstructor } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import type { ProtoGrpcType as AccountsProto } from './generated/accounts.ts';
import type { ProtoGrpcType as AdminProto } from './generated/admin.ts';
import type { ProtoGrpcType as AuditProto } from './generated/audit.ts';
import type { ProtoGrpcType as BillingProto } from './generated/billing.ts';
import type { ProtoGrpcType as CatalogProto } from './generated/catalog.ts';
import type { ProtoGrpcType as DashboardProto } from './generated/dashboard.ts';
import { DEFINITIONS } from './generated/definitions.ts';
import type { ProtoGrpcType as KeysProto } from './generated/keys.ts';
import type { ProtoGrpcType as MembersProto } from './generated/members.ts';
import type { ProtoGrpcType as PoolsProto } from './generated/pools.ts';
import type { ProtoGrpcType as RulesProto } from './generated/rules.ts';
import type { ProtoGrpcType as ScimProto } from './generated/scim.ts';
import type { ProtoGrpcType as TeamsProto } from './generated/teams.ts';
import type { ProtoGrpcType as WebhooksProto } from './generated/webhooks.ts';
import { PROTO_LOADER_OPTIONS } from './proto-loader-options.ts';

type GatewayProto = AccountsProto &
  AdminProto &
  AuditProto &
  BillingProto &
  CatalogProto &
  DashboardProto &
  KeysProto &
  MembersProto &
  PoolsProto &
  RulesProto &
  ScimProto &
  TeamsProto &
  WebhooksProto;

/**
 * Services and messages by name. proto-loader would return the same, but also describe every message for
 * reflection, which takes longer than everything else here.
 */
export const gatewayProto = loadProto() as GatewayProto['gateway']['v1'];

function loadProto(): Record<string, unknown> {
  const names = protobuf.Root.fromJSON(JSON.parse(DEFINITIONS)).lookup('gateway.v1');
  if (!(names instanceof protobuf.Namespace)) throw new Error('the definitions have no gateway.v1');
  return Object.fromEntries(
    names.nestedArray.flatMap((each): [string, unknown][] => {
      if (each instanceof protobuf.Type) return [[each.name, codecOf(each)]];
      return each instanceof protobuf.Service ? [[each.name, clientOf(each)]] : [];
    }),
  );
}

function clientOf({ fullName, methodsArray, name }: protobuf.Service) {
  const methods = methodsArray.map((method) => [method.name, definitionOf(method, fullName.slice(1))]);
  return makeClientConstructor(Object.fromEntries(methods), name);
}

function definitionOf(method: protobuf.Method, service: string): MethodDefinition<object, object> {
  const { name, requestStream = false, responseStream = false } = method;
  method.resolve();
  const { resolvedRequestType, resolvedResponseType } = method;
  if (!resolvedRequestType || !resolvedResponseType) throw new Error(`${name} has no types`);
  const request = codecOf(resolvedRequestType);
  const response = codecOf(resolvedResponseType);
  return {
    path: `/${service}/${name}`,
    // The name of the client's method.
    originalName: name.charAt(0).toLowerCase() + name.slice(1),
    requestStream,
    responseStream,
    requestSerialize: request.serialize,
    requestDeserialize: request.deserialize,
    responseSerialize: response.serialize,
    responseDeserialize: response.deserialize,
  };
}

function codecOf(type: protobuf.Type) {
  return {
    serialize(message: object): Buffer {
      const { buffer, byteOffset, length } = type.encode(type.fromObject(message)).finish();
      return Buffer.from(buffer, byteOffset, length);
    },
    deserialize: (bytes: Uint8Array): object => type.toObject(type.decode(bytes), PROTO_LOADER_OPTIONS),
  };
}

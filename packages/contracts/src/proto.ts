import { type GrpcObject, loadPackageDefinition } from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
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

const definition = fromJSON(JSON.parse(DEFINITIONS), PROTO_LOADER_OPTIONS);

// Loaded at run time; types are generated from the same files.
const loaded: GrpcObject = loadPackageDefinition(definition);
const { gateway } = loaded as unknown as GatewayProto;

export const gatewayProto = gateway.v1;

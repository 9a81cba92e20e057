import type { ChannelOptions } from '@grpc/grpc-js';
import { channelCredentials, type TlsFiles } from './credentials.ts';
import type { AccountServiceClient } from './generated/gateway/v1/AccountService.ts';
import type { AdminServiceClient } from './generated/gateway/v1/AdminService.ts';
import type { AuditServiceClient } from './generated/gateway/v1/AuditService.ts';
import type { BillingServiceClient } from './generated/gateway/v1/BillingService.ts';
import type { CatalogServiceClient } from './generated/gateway/v1/CatalogService.ts';
import type { DashboardServiceClient } from './generated/gateway/v1/DashboardService.ts';
import type { KeyServiceClient } from './generated/gateway/v1/KeyService.ts';
import type { MemberServiceClient } from './generated/gateway/v1/MemberService.ts';
import type { PoolServiceClient } from './generated/gateway/v1/PoolService.ts';
import type { RulesServiceClient } from './generated/gateway/v1/RulesService.ts';
import type { ScimServiceClient } from './generated/gateway/v1/ScimService.ts';
import type { TeamServiceClient } from './generated/gateway/v1/TeamService.ts';
import type { WebhookServiceClient } from './generated/gateway/v1/WebhookService.ts';
import { gatewayProto } from './proto.ts';

/** Detects a lost control plane, and its return, in about a second; gRPC's defaults take two minutes. */
const CHANNEL_OPTIONS: ChannelOptions = {
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1_000,
  'grpc.keepalive_time_ms': 10_000,
  // A busy peer replies late, and this timeout ends every call and stream of the connection. Calls have
  // shorter deadlines.
  'grpc.keepalive_timeout_ms': 20_000,
  // Otherwise gRPC would use HTTPS_PROXY, which only leads to providers.
  'grpc.enable_http_proxy': 0,
  'grpc.max_receive_message_length': 64 * 1024 * 1024,
  // Separate connections, so that planes in one process do not fail together.
  'grpc.use_local_subchannel_pool': 1,
};

export interface ControlPlaneStubs {
  accounts: AccountServiceClient;
  admin: AdminServiceClient;
  audit: AuditServiceClient;
  billing: BillingServiceClient;
  catalog: CatalogServiceClient;
  dashboard: DashboardServiceClient;
  keys: KeyServiceClient;
  members: MemberServiceClient;
  pools: PoolServiceClient;
  rules: RulesServiceClient;
  scim: ScimServiceClient;
  teams: TeamServiceClient;
  webhooks: WebhookServiceClient;
}

export function connect(address: string, tls: TlsFiles): ControlPlaneStubs {
  const accounts = new gatewayProto.AccountService(address, channelCredentials(tls), CHANNEL_OPTIONS);
  const shared: ChannelOptions & { channelOverride: ReturnType<typeof accounts.getChannel> } = {
    channelOverride: accounts.getChannel(),
  };
  const credentials = channelCredentials(tls);
  return {
    accounts,
    admin: new gatewayProto.AdminService(address, credentials, shared),
    audit: new gatewayProto.AuditService(address, credentials, shared),
    billing: new gatewayProto.BillingService(address, credentials, shared),
    catalog: new gatewayProto.CatalogService(address, credentials, shared),
    dashboard: new gatewayProto.DashboardService(address, credentials, shared),
    keys: new gatewayProto.KeyService(address, credentials, shared),
    members: new gatewayProto.MemberService(address, credentials, shared),
    pools: new gatewayProto.PoolService(address, credentials, shared),
    rules: new gatewayProto.RulesService(address, credentials, shared),
    scim: new gatewayProto.ScimService(address, credentials, shared),
    teams: new gatewayProto.TeamService(address, credentials, shared),
    webhooks: new gatewayProto.WebhookService(address, credentials, shared),
  };
}

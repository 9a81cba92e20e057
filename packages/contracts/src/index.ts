export { status as GrpcStatus } from '@grpc/grpc-js';
export { CatalogWatch, type CatalogWatchOptions } from './catalog-watch.ts';
export {
  ControlPlaneClient,
  type ControlPlaneClientOptions,
  grpcStatus,
  isUnreachable,
} from './control-plane-client.ts';
export type { ControlPlaneStubs } from './control-plane-stubs.ts';
export {
  callerMetadata,
  channelCredentials,
  presentedToken,
  serverCredentials,
  type TlsFiles,
} from './credentials.ts';
export type { Account__Output as AccountMessage } from './generated/gateway/v1/Account.ts';
export type { AccountLimits__Output as AccountLimitsMessage } from './generated/gateway/v1/AccountLimits.ts';
export type { AccountServiceHandlers } from './generated/gateway/v1/AccountService.ts';
export type { AcquireAllowanceRequest__Output as AcquireAllowanceRequestMessage } from './generated/gateway/v1/AcquireAllowanceRequest.ts';
export type { AcquireAllowanceResponse__Output as AcquireAllowanceResponseMessage } from './generated/gateway/v1/AcquireAllowanceResponse.ts';
export type { AdminServiceHandlers } from './generated/gateway/v1/AdminService.ts';
export type { ApiKey__Output as ApiKeyMessage } from './generated/gateway/v1/ApiKey.ts';
export type { ApplyCatalogResponse__Output as ApplyCatalogResponseMessage } from './generated/gateway/v1/ApplyCatalogResponse.ts';
export type { BillingServiceHandlers } from './generated/gateway/v1/BillingService.ts';
export type { Catalog__Output as CatalogMessage } from './generated/gateway/v1/Catalog.ts';
export type { CatalogServiceHandlers } from './generated/gateway/v1/CatalogService.ts';
export type { CreateKeyResponse__Output as CreateKeyResponseMessage } from './generated/gateway/v1/CreateKeyResponse.ts';
export type { DashboardServiceHandlers } from './generated/gateway/v1/DashboardService.ts';
export type { DeleteAccountResponse__Output as DeleteAccountResponseMessage } from './generated/gateway/v1/DeleteAccountResponse.ts';
export type { DeleteTeamResponse__Output as DeleteTeamResponseMessage } from './generated/gateway/v1/DeleteTeamResponse.ts';
export type { ExpireKeyRequest__Output as ExpireKeyRequestMessage } from './generated/gateway/v1/ExpireKeyRequest.ts';
export type { ExpireKeyResponse__Output as ExpireKeyResponseMessage } from './generated/gateway/v1/ExpireKeyResponse.ts';
export type { GetHolderLimitsResponse__Output as GetHolderLimitsResponseMessage } from './generated/gateway/v1/GetHolderLimitsResponse.ts';
export type { GetHolderUsageRequest__Output as GetHolderUsageRequestMessage } from './generated/gateway/v1/GetHolderUsageRequest.ts';
export type { GetTotalUsageRequest__Output as GetTotalUsageRequestMessage } from './generated/gateway/v1/GetTotalUsageRequest.ts';
export type { GetTotalUsageResponse__Output as GetTotalUsageResponseMessage } from './generated/gateway/v1/GetTotalUsageResponse.ts';
export type { GetUsageRequest__Output as GetUsageRequestMessage } from './generated/gateway/v1/GetUsageRequest.ts';
export type { GetUsageResponse__Output as GetUsageResponseMessage } from './generated/gateway/v1/GetUsageResponse.ts';
export type { HealthFigures__Output as HealthFiguresMessage } from './generated/gateway/v1/HealthFigures.ts';
export type { HolderKey__Output as HolderKeyMessage } from './generated/gateway/v1/HolderKey.ts';
export type { HolderReceipt__Output as HolderReceiptMessage } from './generated/gateway/v1/HolderReceipt.ts';
export type { HolderRequest__Output as HolderRequestMessage } from './generated/gateway/v1/HolderRequest.ts';
export type { HolderSeat__Output as HolderSeatMessage } from './generated/gateway/v1/HolderSeat.ts';
export type { HolderTeam__Output as HolderTeamMessage } from './generated/gateway/v1/HolderTeam.ts';
export type { KeyContext__Output as KeyContextMessage } from './generated/gateway/v1/KeyContext.ts';
export type { KeyLimitUse__Output as KeyLimitUseMessage } from './generated/gateway/v1/KeyLimitUse.ts';
export type { KeyServiceHandlers } from './generated/gateway/v1/KeyService.ts';
export type { LimitInForce__Output as LimitInForceMessage } from './generated/gateway/v1/LimitInForce.ts';
export type { LimitQuestion__Output as LimitQuestionMessage } from './generated/gateway/v1/LimitQuestion.ts';
export type { LimitReport__Output as LimitReportMessage } from './generated/gateway/v1/LimitReport.ts';
export type { LimitSetting__Output as LimitSettingMessage } from './generated/gateway/v1/LimitSetting.ts';
export type { ListAccountsRequest__Output as ListAccountsRequestMessage } from './generated/gateway/v1/ListAccountsRequest.ts';
export type { ListHolderRequestsRequest__Output as ListHolderRequestsRequestMessage } from './generated/gateway/v1/ListHolderRequestsRequest.ts';
export type { ListHolderRequestsResponse__Output as ListHolderRequestsResponseMessage } from './generated/gateway/v1/ListHolderRequestsResponse.ts';
export type { ListHolderTeamsResponse__Output as ListHolderTeamsResponseMessage } from './generated/gateway/v1/ListHolderTeamsResponse.ts';
export type { ListReceiptsRequest__Output as ListReceiptsRequestMessage } from './generated/gateway/v1/ListReceiptsRequest.ts';
export type { ListReceiptsResponse__Output as ListReceiptsResponseMessage } from './generated/gateway/v1/ListReceiptsResponse.ts';
export type { Model__Output as ModelMessage } from './generated/gateway/v1/Model.ts';
export type { ModelHealth__Output as ModelHealthMessage } from './generated/gateway/v1/ModelHealth.ts';
export type { ModelTimeouts__Output as ModelTimeoutsMessage } from './generated/gateway/v1/ModelTimeouts.ts';
export type { MoveSeatResponse__Output as MoveSeatResponseMessage } from './generated/gateway/v1/MoveSeatResponse.ts';
export type { NewSeatInvitation__Output as NewSeatInvitationMessage } from './generated/gateway/v1/NewSeatInvitation.ts';
export type { OfferedSeat__Output as OfferedSeatMessage } from './generated/gateway/v1/OfferedSeat.ts';
export type { Payer__Output as PayerMessage } from './generated/gateway/v1/Payer.ts';
export type { PlatformHealth__Output as PlatformHealthMessage } from './generated/gateway/v1/PlatformHealth.ts';
export type { Pool__Output as PoolMessage } from './generated/gateway/v1/Pool.ts';
export type { PoolOwner__Output as PoolOwnerMessage } from './generated/gateway/v1/PoolOwner.ts';
export type { PoolServiceHandlers } from './generated/gateway/v1/PoolService.ts';
export type { Provider__Output as ProviderMessage } from './generated/gateway/v1/Provider.ts';
export type { ProviderCredential__Output as ProviderCredentialMessage } from './generated/gateway/v1/ProviderCredential.ts';
export type { ProviderCredentials__Output as ProviderCredentialsMessage } from './generated/gateway/v1/ProviderCredentials.ts';
export type { Receipt__Output as ReceiptMessage } from './generated/gateway/v1/Receipt.ts';
export type { ReceiptSummary__Output as ReceiptSummaryMessage } from './generated/gateway/v1/ReceiptSummary.ts';
export type { RemovedPool__Output as RemovedPoolMessage } from './generated/gateway/v1/RemovedPool.ts';
export type { RemovePoolResponse__Output as RemovePoolResponseMessage } from './generated/gateway/v1/RemovePoolResponse.ts';
export type { RemoveSeatResponse__Output as RemoveSeatResponseMessage } from './generated/gateway/v1/RemoveSeatResponse.ts';
export type { ReportProbesRequest__Output as ReportProbesRequestMessage } from './generated/gateway/v1/ReportProbesRequest.ts';
export type { ReportRefusalsRequest__Output as ReportRefusalsRequestMessage } from './generated/gateway/v1/ReportRefusalsRequest.ts';
export type { ReportWaitingCallsRequest__Output as ReportWaitingCallsRequestMessage } from './generated/gateway/v1/ReportWaitingCallsRequest.ts';
export type { ResetPasswordResponse__Output as ResetPasswordResponseMessage } from './generated/gateway/v1/ResetPasswordResponse.ts';
export type { ResolveKeyResponse__Output as ResolveKeyResponseMessage } from './generated/gateway/v1/ResolveKeyResponse.ts';
export type { ResumeAccountResponse__Output as ResumeAccountResponseMessage } from './generated/gateway/v1/ResumeAccountResponse.ts';
export type { ReturnAllowanceRequest__Output as ReturnAllowanceRequestMessage } from './generated/gateway/v1/ReturnAllowanceRequest.ts';
export type { ReturnAllowanceResponse__Output as ReturnAllowanceResponseMessage } from './generated/gateway/v1/ReturnAllowanceResponse.ts';
export type { RevokeKeyResponse__Output as RevokeKeyResponseMessage } from './generated/gateway/v1/RevokeKeyResponse.ts';
export type { RotateKeyResponse__Output as RotateKeyResponseMessage } from './generated/gateway/v1/RotateKeyResponse.ts';
export type { Seat__Output as SeatMessage } from './generated/gateway/v1/Seat.ts';
export type { SeatInvitation__Output as SeatInvitationMessage } from './generated/gateway/v1/SeatInvitation.ts';
export type { SettleAck__Output as SettleAckMessage } from './generated/gateway/v1/SettleAck.ts';
export type {
  SettleBatch,
  SettleBatch__Output as SettleBatchMessage,
} from './generated/gateway/v1/SettleBatch.ts';
export type { SettledRequest__Output as SettledRequestMessage } from './generated/gateway/v1/SettledRequest.ts';
export type { StatusReport__Output as StatusReportMessage } from './generated/gateway/v1/StatusReport.ts';
export type { SuspendAccountResponse__Output as SuspendAccountResponseMessage } from './generated/gateway/v1/SuspendAccountResponse.ts';
export type { Team__Output as TeamMessage } from './generated/gateway/v1/Team.ts';
export type { TeamServiceHandlers } from './generated/gateway/v1/TeamService.ts';
export type { TotalUsageGroup__Output as TotalUsageGroupMessage } from './generated/gateway/v1/TotalUsageGroup.ts';
export type { Units__Output as UnitsMessage } from './generated/gateway/v1/Units.ts';
export type { UsageGroup__Output as UsageGroupMessage } from './generated/gateway/v1/UsageGroup.ts';
export type { UsageSums__Output as UsageSumsMessage } from './generated/gateway/v1/UsageSums.ts';
export type { VerifyLedgerResponse__Output as VerifyLedgerResponseMessage } from './generated/gateway/v1/VerifyLedgerResponse.ts';
export type { WaitingCalls__Output as WaitingCallsMessage } from './generated/gateway/v1/WaitingCalls.ts';
export type { WatchCatalogEvent__Output as WatchCatalogEventMessage } from './generated/gateway/v1/WatchCatalogEvent.ts';
export type { WatchKeysEvent__Output as WatchKeysEventMessage } from './generated/gateway/v1/WatchKeysEvent.ts';
export type { WatchKeysRequest__Output as WatchKeysRequestMessage } from './generated/gateway/v1/WatchKeysRequest.ts';
export { leftInPool } from './left-in-pool.ts';
export { gatewayProto } from './proto.ts';
export { ReopeningStream } from './reopening-stream.ts';
export type { AnswerOf, AskOf, MethodOf } from './unary-calls.ts';

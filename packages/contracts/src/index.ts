export { status as GrpcStatus } from '@grpc/grpc-js';
export { AdminProof, type CallerProof, NONCE_BYTES } from './admin-proof.ts';
export { type CallTrace, callInTrace, presentedTrace } from './call-trace.ts';
export { CatalogWatch } from './catalog-watch.ts';
export type { ControlPlaneCalls } from './control-plane-calls.ts';
export { ControlPlaneClient } from './control-plane-client.ts';
export type { ControlPlaneStubs } from './control-plane-stubs.ts';
export {
  callerMetadata,
  presentedProof,
  presentedToken,
  serverCredentials,
  type TlsFiles,
} from './credentials.ts';
export type { SettleBatch } from './generated/gateway/v1/SettleBatch.ts';
export type * from './generated/messages.ts';
export { grpcStatus } from './grpc-status.ts';
export { leftInPool } from './left-in-pool.ts';
export { gatewayProto } from './proto.ts';
export { receiptAnswer, unitsAnswer } from './receipt-answer.ts';
export { ReopeningStream } from './reopening-stream.ts';
export { keepRequestBytes, requestBytes } from './request-bytes.ts';
export { GRPC_STATUS_HEADER, RPC_PATH } from './rpc-over-http.ts';
export { type KnownServer, type ServerProofOptions, UnprovenServerError } from './server-proof.ts';
export { openSettleUsage } from './settle-usage.ts';
export { presentedUser } from './signed-in-user.ts';
export {
  type AnswerOf,
  type AskOf,
  type MethodOf,
  type ServiceName,
  type UnaryCall,
  unaryCall,
} from './unary-calls.ts';

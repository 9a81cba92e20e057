import type { ClientDuplexStream, Metadata } from '@grpc/grpc-js';
import type { ControlPlaneStubs } from './control-plane-stubs.ts';
import type { SettleAck__Output as SettleAckMessage } from './generated/gateway/v1/SettleAck.ts';
import { gatewayProto } from './proto.ts';

/** Opens BillingService.SettleUsage for messages that are encoded by the caller. */
export function openSettleUsage(
  { billing }: Pick<ControlPlaneStubs, 'billing'>,
  metadata: Metadata,
): ClientDuplexStream<Buffer, SettleAckMessage> {
  const { path, responseDeserialize } = gatewayProto.BillingService.service.SettleUsage;
  return billing.makeBidiStreamRequest(path, (message: Buffer) => message, responseDeserialize, metadata);
}

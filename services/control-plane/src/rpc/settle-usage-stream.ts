import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { SettleAckMessage, SettleBatchMessage } from '@model-gateway/contracts';
import type { Logger } from '@model-gateway/service-kit';
import { toServiceError } from '../errors/map-error.ts';
import type { SettlementStreams } from '../settlement/settlement-streams.ts';

type SettleCall = ServerDuplexStream<SettleBatchMessage, Partial<SettleAckMessage>>;

export function settleUsageStream(
  { log, settlementStreams }: { log: Logger; settlementStreams: Pick<SettlementStreams, 'open'> },
  call: SettleCall,
): void {
  const stream = settlementStreams.open({
    acknowledge: (ack) => {
      if (!call.cancelled) call.write(ack);
    },
    // No destroy(): it sends no status, and the data plane would wait for one.
    fail: (error) => void call.emit('error', toServiceError(log, error)),
    end: () => void call.end(),
  });
  call.on('data', (batch: SettleBatchMessage) => stream.settle(batch));
  call.on('end', () => stream.finish());
  call.on('cancelled', () => stream.leave());
  call.on('error', () => stream.leave());
}

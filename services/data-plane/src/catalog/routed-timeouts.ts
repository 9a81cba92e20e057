import type { ModelTimeoutsMessage, ProviderMessage } from '@model-gateway/contracts';

/** How long a provider may take, in milliseconds. */
export interface RoutedTimeouts {
  connectMs: number;
  /** For streams: until the first event. */
  firstByteMs: number;
  /** For streams: from one event to the next. */
  idleMs: number;
  /** For responses that are not streamed: until the last byte. */
  totalMs: number;
  /** For responses that are not streamed: until the first byte. Undefined: only `totalMs` applies. */
  firstBytePlainMs: number | undefined;
}

/** @throws if the message has no timeouts: every control plane sends them */
export function timeoutsOfProvider({ id, timeouts }: ProviderMessage): RoutedTimeouts {
  if (timeouts === null) throw new Error(`provider ${id} has no timeouts`);
  const { connectMs, firstByteMs, firstBytePlainMs, idleMs, totalMs } = timeouts;
  return { connectMs, firstByteMs, idleMs, totalMs, firstBytePlainMs };
}

export function timeoutsOfModel(ofProvider: RoutedTimeouts, ofModel: ModelTimeoutsMessage): RoutedTimeouts {
  return {
    connectMs: ofModel.connectMs ?? ofProvider.connectMs,
    firstByteMs: ofModel.firstByteMs ?? ofProvider.firstByteMs,
    idleMs: ofModel.idleMs ?? ofProvider.idleMs,
    totalMs: ofModel.totalMs ?? ofProvider.totalMs,
    firstBytePlainMs: ofModel.firstBytePlainMs ?? ofProvider.firstBytePlainMs,
  };
}

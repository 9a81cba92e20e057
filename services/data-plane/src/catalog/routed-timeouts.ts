import type { ModelTimeoutsMessage, ProviderMessage } from '@model-gateway/contracts';

/** How long a provider may take, in milliseconds. */
export interface RoutedTimeouts {
  connectMs: number;
  /** Of streams: until the first event. */
  firstByteMs: number;
  /** Of streams: from one event to the next. */
  idleMs: number;
  /** Of answers that are not streamed: until the last byte. */
  totalMs: number;
  /** Of these: until the provider sends anything. Undefined: `totalMs` alone counts. */
  firstBytePlainMs: number | undefined;
}

/** @throws when the message has none: every control plane sends them */
export function timeoutsOfProvider({ id, timeouts }: ProviderMessage): RoutedTimeouts {
  if (timeouts === null) throw new Error(`provider ${id} has no timeouts`);
  const { connectMs, firstByteMs, firstBytePlainMs, idleMs, totalMs } = timeouts;
  return { connectMs, firstByteMs, idleMs, totalMs, firstBytePlainMs };
}

/** Those of the provider, member by member, where the model has none of its own. */
export function timeoutsOfModel(ofProvider: RoutedTimeouts, ofModel: ModelTimeoutsMessage): RoutedTimeouts {
  return {
    connectMs: ofModel.connectMs ?? ofProvider.connectMs,
    firstByteMs: ofModel.firstByteMs ?? ofProvider.firstByteMs,
    idleMs: ofModel.idleMs ?? ofProvider.idleMs,
    totalMs: ofModel.totalMs ?? ofProvider.totalMs,
    firstBytePlainMs: ofModel.firstBytePlainMs ?? ofProvider.firstBytePlainMs,
  };
}

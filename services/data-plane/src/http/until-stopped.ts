import type { StopSignal } from '@model-gateway/service-kit';

/**
 * Waits for work that goes on although the request is stopped.
 * @throws the reason of the signal; what `work` throws
 */
export async function untilStopped(work: Promise<void>, signal: StopSignal): Promise<void> {
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const onStop = () => reject(signal.reason);
  signal.addEventListener('abort', onStop);
  if (signal.aborted) onStop();
  try {
    await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener('abort', onStop);
  }
}

import { useCallback, useRef, useState } from 'react';

export interface Action<Arguments extends unknown[]> {
  /** Does nothing while an earlier call is under way. */
  run: (...args: Arguments) => void;
  isPending: boolean;
  /** The error of the last call; undefined: it succeeded, or there was none. */
  error: unknown;
  clearError: () => void;
}

/**
 * An action that the user starts and that can fail. Unlike a mutation of react-query it keeps neither its
 * arguments (passwords) nor its answer (raw keys): `act` itself puts the answer where it belongs.
 */
export function useAction<Arguments extends unknown[]>(
  act: (...args: Arguments) => Promise<void>,
): Action<Arguments> {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const isRunning = useRef(false);

  async function run(...args: Arguments): Promise<void> {
    if (isRunning.current) {
      return;
    }
    isRunning.current = true;
    setPending(true);
    setError(undefined);
    try {
      await act(...args);
    } catch (failure) {
      setError(failure);
    } finally {
      isRunning.current = false;
      setPending(false);
    }
  }

  const clearError = useCallback(() => setError(undefined), []);
  return { run: (...args) => void run(...args), isPending, error, clearError };
}

import { useCallback, useRef, useState } from 'react';

export interface Action<Arguments extends unknown[]> {
  /** Does nothing while an earlier call is under way. */
  run: (...args: Arguments) => void;
  isPending: boolean;
  /** The error of the last call; undefined if it succeeded or none was made. */
  error: unknown;
  clearError: () => void;
}

/**
 * Runs an action that the user starts. Unlike a react-query mutation it stores neither arguments (passwords)
 * nor results (raw keys).
 */
export function useAction<Arguments extends unknown[]>(
  act: (...args: Arguments) => Promise<void>,
): Action<Arguments> {
  const [isPending, setPending] = useState(false);
  const [error, setError] = useState<unknown>(undefined);
  const isRunning = useRef(false);

  async function run(...args: Arguments): Promise<void> {
    if (isRunning.current) return;
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

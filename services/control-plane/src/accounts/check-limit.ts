import { ControlPlaneError } from '../errors/control-plane-error.ts';

/** The log of accepted requests that a limit is counted with grows with the limit. */
const MAX_LIMIT = 1_000_000;

/**
 * A limit cannot be 0: an error about a limit promises that waiting helps. Whoever must never get an answer
 * is suspended or revoked instead.
 * @param name the limit's name in the error message
 * @throws ControlPlaneError invalid_argument
 */
export function checkLimit(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= MAX_LIMIT) return value;
  throw new ControlPlaneError(
    'invalid_argument',
    `${name} must be a whole number from 1 to ${MAX_LIMIT}; to refuse every request, revoke the keys`,
  );
}

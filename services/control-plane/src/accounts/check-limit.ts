import { ControlPlaneError } from '../errors/control-plane-error.ts';

/** The log of accepted requests behind a limit grows with it. */
const MAX_LIMIT = 1_000_000;

/**
 * There is no limit of 0: a limit promises that waiting helps, and what must be refused for good is revoked.
 * @param name how the message calls it
 * @throws ControlPlaneError invalid_argument
 */
export function checkLimit(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= MAX_LIMIT) return value;
  throw new ControlPlaneError(
    'invalid_argument',
    `${name} must be a whole number from 1 to ${MAX_LIMIT}; to refuse every request, revoke the keys`,
  );
}

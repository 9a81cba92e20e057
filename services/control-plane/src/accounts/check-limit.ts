import { invalidArgument } from '../errors/control-plane-error.ts';

/** A limit is counted in a log of accepted requests, whose size grows with the limit. */
const MAX_LIMIT = 1_000_000;

/**
 * Rejects 0, because a rate limit error promises that waiting helps: suspend or revoke instead.
 * @param name for the error message
 * @throws ControlPlaneError invalid_argument
 */
export function checkLimit(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= MAX_LIMIT) return value;
  throw invalidArgument(
    `${name} must be a whole number from 1 to ${MAX_LIMIT}; to refuse every request, revoke the keys`,
  );
}

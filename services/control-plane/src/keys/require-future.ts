import { LATEST_MS } from '@model-gateway/shared/rules';
import { invalidArgument } from '../errors/control-plane-error.ts';

/**
 * Checks the moment at which a key expires.
 * @param advice ends the message
 * @throws ControlPlaneError invalid_argument
 */
export function requireFuture(atMs: number, advice = ''): Date {
  if (atMs > Date.now() && atMs <= LATEST_MS) return new Date(atMs);
  throw invalidArgument(`a key expires at a moment that is still to come${advice}`);
}

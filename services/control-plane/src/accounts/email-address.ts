import { z } from 'zod';
import { invalidArgument } from '../errors/control-plane-error.ts';

/**
 * Requires ASCII before lowercasing: the Kelvin sign lowercases to k, so the owner of one proven address
 * would otherwise pass for the holder of another.
 */
const emailAddress = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]*$/)
  .toLowerCase()
  .max(254)
  .pipe(z.email());

/**
 * Normalizes an e-mail address.
 * @param what needs the address, for the error message
 * @throws ControlPlaneError invalid_argument
 */
export function requireEmail(text: string, what: string): string {
  const email = emailAddress.safeParse(text);
  if (email.success) return email.data;
  throw invalidArgument(`${what} needs a valid e-mail address`);
}

/** Normalizes an e-mail address; undefined when no account can have it. */
export function parseEmail(text: string): string | undefined {
  return emailAddress.safeParse(text).data;
}

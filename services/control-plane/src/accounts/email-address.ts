import { z } from 'zod';
import { ControlPlaneError } from '../errors/control-plane-error.ts';

/**
 * The address must be ASCII before it becomes lower case. Two letters of other scripts have an ASCII letter
 * as their lower case (the Kelvin sign becomes a k). Without this check, whoever has proven one address would
 * be taken for the holder of another.
 */
const emailAddress = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]*$/)
  .toLowerCase()
  .max(254)
  .pipe(z.email());

/**
 * Brings an e-mail address into the form in which it is stored.
 * @param what the thing that needs an address, for the error message
 * @throws ControlPlaneError invalid_argument
 */
export function requireEmail(text: string, what: string): string {
  const email = emailAddress.safeParse(text);
  if (email.success) return email.data;
  throw new ControlPlaneError('invalid_argument', `${what} needs a valid e-mail address`);
}

/**
 * Brings an e-mail address into the form in which it is stored. Undefined when the text is not an address
 * that an account can have.
 */
export function parseEmail(text: string): string | undefined {
  return emailAddress.safeParse(text).data;
}

import { z } from 'zod';
import { ControlPlaneError } from '../errors/control-plane-error.ts';

/**
 * ASCII before it becomes lower case: two letters of other scripts have an ASCII letter as their lower case
 * (the Kelvin sign becomes a k), and whoever has proven one address would be taken for the holder of another.
 */
const emailAddress = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]*$/)
  .toLowerCase()
  .max(254)
  .pipe(z.email());

/**
 * Puts an e-mail address into the form in which addresses are stored.
 * @param what names what needs the address, for the message
 * @throws ControlPlaneError invalid_argument
 */
export function requireEmail(text: string, what: string): string {
  const email = emailAddress.safeParse(text);
  if (email.success) return email.data;
  throw new ControlPlaneError('invalid_argument', `${what} needs a valid e-mail address`);
}

/** Like requireEmail; undefined: it is no address, and no account can have it. */
export function parseEmail(text: string): string | undefined {
  return emailAddress.safeParse(text).data;
}

import { z } from 'zod';

/** Accepts domains separated by commas. A domain does not include its subdomains. */
export const emailDomainsSetting = z
  .string()
  .transform((text) => text.split(',').map((domain) => domain.trim().toLowerCase()))
  .pipe(
    z.array(
      z
        .string()
        .regex(
          /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/,
          'expected domains such as example.com, separated by commas',
        ),
    ),
  );

/** Returns the domain of an e-mail address, in lower case. */
export function emailDomain(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

import { z } from 'zod';
import { emailDomain } from '../config/email-domains.ts';
import type { IdentityProvider } from '../config/identity-providers.ts';
import {
  addressMissing,
  addressNotAllowed,
  addressNotVerified,
  signInElsewhere,
} from '../errors/sign-in-errors.ts';

export interface CheckProfileContext {
  identityProviders: readonly IdentityProvider[];
  allowedEmailDomains: readonly string[] | undefined;
}

export interface CheckedProfile {
  /** Undefined: the provider does not say who this is, and the sign-in library refuses them. */
  subject: string | undefined;
  /** In lower case. */
  email: string;
  isVerified: boolean;
  /** True if the operator has given the domain of the address to this provider. */
  isOwner: boolean;
}

/**
 * Accepts only ASCII: the library lowercases, which can turn other letters into ASCII ones. Only the boolean
 * `true` counts as verified, because some providers send "false" as text.
 */
const claims = z.object({
  sub: z.string().min(1).optional().catch(undefined),
  email: z
    .string()
    .regex(/^[\x21-\x7e]+@[\x21-\x7e]+$/)
    .toLowerCase()
    .catch(''),
  email_verified: z.boolean().or(z.literal('')).optional().catch(''),
});

const addressClaim = z.object({ email: z.string().min(1) });

/**
 * Checks the claims of an identity provider. `email_verified: true` verifies the address; in a domain that
 * belongs to this provider, a missing claim does, too (Entra ID sends none). Other providers cannot claim
 * addresses of such a domain.
 * @throws DashboardError sign_in_elsewhere, address_missing, address_not_allowed,
 * address_not_verified
 */
export function checkProfile(
  { identityProviders, allowedEmailDomains }: CheckProfileContext,
  provider: IdentityProvider,
  profile: unknown,
): CheckedProfile {
  if (!addressClaim.safeParse(profile).success) throw addressMissing();
  const { sub: subject, email, email_verified: claimed } = claims.parse(profile);
  const domain = emailDomain(email);
  const owners = identityProviders.filter(({ emailDomains }) => emailDomains.includes(domain));
  const isOwner = owners.includes(provider);
  const [owner] = owners;
  if (owner !== undefined && !isOwner) throw signInElsewhere();
  const isVerified = email !== '' && (claimed === true || (isOwner && claimed === undefined));
  if (allowedEmailDomains !== undefined) {
    if (!allowedEmailDomains.includes(domain)) throw addressNotAllowed();
    // Anybody could claim an address of these domains.
    if (!isVerified) throw addressNotVerified();
  }
  return { subject, email, isVerified, isOwner };
}

import { z } from 'zod';
import { MAX_NAME_LENGTH } from '../../wire/name-length.ts';
import { newPassword } from '../../wire/new-password.ts';
import { PASSWORD_LENGTH } from '../../wire/password-length.ts';

/** Requires ASCII before lowercasing: the Kelvin sign (U+212A) would become the k of another address. */
const emailAddress = z
  .string('is missing')
  .trim()
  .regex(/^[\x21-\x7e]*$/, 'must be an e-mail address')
  .toLowerCase()
  .max(254, 'must have at most 254 characters')
  .pipe(z.email('must be an e-mail address'));

/** An existing password, which need not satisfy today's rules. */
const givenPassword = z
  .string('is missing')
  .min(1, 'is missing')
  .max(PASSWORD_LENGTH.max, `must have at most ${PASSWORD_LENGTH.max} characters`);

export const passwordResetRequestBody = z.object({ email: emailAddress });

export const signInBody = z.object({ email: emailAddress, password: givenPassword });

export const signUpBody = z.object({
  name: z.string().trim().max(MAX_NAME_LENGTH, `must have at most ${MAX_NAME_LENGTH} characters`).default(''),
  email: emailAddress,
  password: newPassword,
});

export const changePasswordBody = z.object({ currentPassword: givenPassword, newPassword });

/** The page to return to from the identity provider: a path, so never another site. */
const ownPath = z.string().regex(/^\/(?![/\\])[\x21-\x7e]*$/, 'must be a path of the dashboard');

export const identityProviderBody = z.object({
  /** Left out: the first provider. */
  providerId: z.string().max(40).optional(),
  /** True: somebody who is signed in proves who they are. */
  again: z.boolean().default(false),
  callbackURL: ownPath.max(1_000).default('/dashboard/api-keys'),
});

export const passwordBody = z.object({ password: givenPassword });

/** A code of an app, or a backup code. Copied ones may have spaces. */
export const codeBody = z.object({
  code: z
    .string('is missing')
    .transform((code) => code.replaceAll(/\s/g, ''))
    .pipe(z.string().regex(/^(\d{6}|[A-Za-z0-9]{5}-[A-Za-z0-9]{5})$/, 'must have 6 digits')),
});

import { z } from 'zod';
import { accountRole, offeredAccount } from './members.ts';
import { newPassword } from './new-password.ts';

/** GET /api/session */
export const sessionResponse = z.object({
  /** Null: nobody is signed in. */
  user: z
    .object({
      /** The account that the pages show, and the user's role in it. */
      accountId: z.string(),
      role: accountRole,
      email: z.string(),
      name: z.string(),
      /** True if a mailed link, the identity provider or an operator has verified the address. */
      emailVerified: z.boolean(),
      /** All accounts of the user: first their own, if they have one. */
      accounts: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          /** Address of its owner. */
          email: z.string(),
          role: accountRole,
        }),
      ),
      /** Accounts that invite the user's verified address. */
      offered: z.array(offeredAccount),
      /** The account is not the user's: its pages are shown as its owner sees them. Null: it is. */
      viewing: z.object({ name: z.string(), email: z.string() }).nullable(),
      /** Role in the installation, which opens the console; null: none. */
      installationRole: z.enum(['auditor', 'operator']).nullable(),
    })
    .nullable(),
  /** True if new accounts can be opened here. */
  signUpOpen: z.boolean(),
  /** True if there are no passwords. */
  ssoOnly: z.boolean(),
  /** True if an account may do nothing before its address is verified. */
  addressNeedsProof: z.boolean(),
  /** The identity providers (OpenID Connect), by the names that their buttons show. */
  identityProviders: z.array(z.object({ id: z.string(), name: z.string() })),
  /** True if links are mailed: to confirm an address, to set a new password, to take a seat. */
  sendsMail: z.boolean(),
  /** The terms of use. */
  termsUrl: z.string().nullable(),
  /** True if account holders buy credit. */
  sellsCredit: z.boolean(),
  /** URL at which the user buys credit; null: the operator adds it, or nobody is signed in. */
  creditUrl: z.string().nullable(),
  /** True if the site does not name the providers behind the models. */
  hidesUpstreams: z.boolean(),
  /** The base URL of the API, with /v1, as OpenAI clients need it. */
  apiBaseUrl: z.string(),
});
export type SessionResponse = z.infer<typeof sessionResponse>;

/** POST /api/session/view, status 204; POST …/end shows the user's own accounts again. */
export const viewAccountRequest = z.object({ accountId: z.string().min(1).max(100) });

/** POST /api/auth/sign-in/email; POST …/code ends a sign-in that needs a code. */
export const signInResponse = z.object({ needsCode: z.boolean() });
export type SignInResponse = z.infer<typeof signInResponse>;

/** POST /api/password-reset, status 204. The token is from a link that was mailed or made by an operator. */
export const passwordResetRequest = z.object({
  token: z.string().min(1).max(200),
  password: newPassword,
});
export type PasswordResetRequest = z.infer<typeof passwordResetRequest>;

/** POST /api/password-reset/request, status 204 for known and unknown addresses. */
export const requestPasswordResetRequest = z.object({ email: z.string().max(254) });
export type RequestPasswordResetRequest = z.infer<typeof requestPasswordResetRequest>;

/** POST /api/email-verification, status 204; POST …/request mails a new token. */
export const verifyEmailRequest = z.object({ token: z.string().min(1).max(200) });
export type VerifyEmailRequest = z.infer<typeof verifyEmailRequest>;

import { z } from 'zod';
import { newPassword } from './new-password.ts';

/** GET /api/session: who is signed in, and what the site offers. */
export const sessionAnswer = z.object({
  /** Null: nobody. */
  user: z.object({ accountId: z.string(), email: z.string(), name: z.string() }).nullable(),
  /** New accounts can be opened here. */
  signUpOpen: z.boolean(),
  /** Sign-in by OpenID Connect: what its button says; null: there is none. */
  identityProvider: z.object({ name: z.string() }).nullable(),
  /** Of the API, with /v1, as OpenAI clients want it. */
  apiBaseUrl: z.string(),
});
export type SessionAnswer = z.infer<typeof sessionAnswer>;

/** POST /api/password-reset; answered with 204. The token comes from the link that an operator has given out. */
export const passwordResetRequest = z.object({
  token: z.string().min(1).max(200),
  password: newPassword,
});
export type PasswordResetRequest = z.infer<typeof passwordResetRequest>;

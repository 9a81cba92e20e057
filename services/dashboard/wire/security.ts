import { z } from 'zod';

/** How a session began: by a password, with a code as well, by a passkey or an identity provider. */
export const signInWay = z.enum(['password', 'code', 'passkey', 'identity_provider']);
export type SignInWay = z.infer<typeof signInWay>;

/** GET /api/security */
export const securityResponse = z.object({
  /** The last used first. */
  sessions: z.array(
    z.object({
      id: z.string(),
      /** User-Agent and address of the browser at the sign-in; empty: unknown. */
      browser: z.string(),
      address: z.string(),
      /** Null: unknown. */
      way: signInWay.nullable(),
      createdAtMs: z.number(),
      /** Exact to a few minutes. */
      usedAtMs: z.number(),
      isThis: z.boolean(),
    }),
  ),
  passkeys: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      createdAtMs: z.number(),
      /** Null: never. */
      usedAtMs: z.number().nullable(),
    }),
  ),
  hasPassword: z.boolean(),
  /** Null: no app is set up. */
  app: z.object({ backupCodesLeft: z.number() }).nullable(),
});
export type SecurityResponse = z.infer<typeof securityResponse>;

/** POST /api/security/sessions/end-others */
export const endOthersResponse = z.object({ ended: z.number() });
export type EndOthersResponse = z.infer<typeof endOthersResponse>;

/**
 * POST /api/security/passkeys, status 204; `response` is what the browser made of the options of POST
 * …/options, as JSON. POST /api/auth/sign-in/passkey and /api/re-authentication/passkey take it alone.
 */
export interface AddPasskeyRequest {
  name: string;
  response: unknown;
}

/** POST /api/security/app/start */
export const startAppResponse = z.object({
  /** The otpauth: URI that the app reads as a QR code. */
  uri: z.string(),
  backupCodes: z.array(z.string()),
});
export type StartAppResponse = z.infer<typeof startAppResponse>;

/** POST /api/security/app/backup-codes */
export const backupCodesResponse = z.object({ backupCodes: z.array(z.string()) });
export type BackupCodesResponse = z.infer<typeof backupCodesResponse>;

/** GET /api/re-authentication: how the user can prove who they are. */
export const proofWaysResponse = z.object({
  ways: z.array(z.enum(['password', 'code', 'passkey'])),
  /** Identity providers that sign the user in. */
  identityProviders: z.array(z.object({ id: z.string(), name: z.string() })),
});
export type ProofWaysResponse = z.infer<typeof proofWaysResponse>;

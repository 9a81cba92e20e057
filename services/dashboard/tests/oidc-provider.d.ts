/** Declares what the tests use of the package, which has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Configuration {
    clients: { client_id: string; client_secret: string; redirect_uris: string[] }[];
    claims: Record<string, string[]>;
    conformIdTokenClaims: boolean;
    ttl: Record<string, number>;
    jwks: { keys: object[] };
    features: { devInteractions: { enabled: boolean } };
    findAccount(context: unknown, id: string): { accountId: string; claims(): Record<string, unknown> };
  }

  // biome-ignore lint/style/noDefaultExport: it is the package's
  export default class Provider {
    constructor(issuer: string, configuration: Configuration);
    callback(): RequestListener;
    /** Its session of a person; `authTime` is in seconds since 1970. */
    Session: { prototype: { authTime(): number } };
  }
}

import { z } from 'zod';

/** The known application of Entra ID. */
export const ENTRA_TENANT = '8d0f6b5e-0000-4000-8000-000000000001';
export const ENTRA_CLIENT = '8d0f6b5e-0000-4000-8000-000000000002';
export const ENTRA_SECRET = 'simulated-client-secret';
/** Content of the token of a valid workload identity. */
export const ENTRA_FEDERATED_TOKEN = 'simulated-federated-token';

const SCOPE = 'https://cognitiveservices.azure.com/.default';
const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const common = { client_id: z.string(), scope: z.string(), grant_type: z.literal('client_credentials') };
const request = z.union([
  z.strictObject({ ...common, client_secret: z.string() }),
  z.strictObject({
    ...common,
    client_assertion_type: z.literal(ASSERTION_TYPE),
    client_assertion: z.string(),
  }),
]);

/** An error in the words of Entra ID. */
export interface EntraProblem {
  status: number;
  error: string;
  error_description: string;
}

/**
 * Checks a request for a token.
 * Source: "OAuth 2.0 client credentials flow on the Microsoft identity platform".
 * @returns undefined if it gets one
 */
export function entraProblem(tenant: string, form: object): EntraProblem | undefined {
  const grant = request.safeParse(form).data;
  if (tenant !== ENTRA_TENANT) return problem('invalid_request', 'AADSTS90002: Tenant not found.');
  if (grant === undefined)
    return problem('invalid_request', 'AADSTS900144: The request body must contain what the grant needs.');
  if (grant.client_id !== ENTRA_CLIENT)
    return problem('unauthorized_client', 'AADSTS700016: Application was not found in the directory.');
  if (grant.scope !== SCOPE)
    return problem('invalid_scope', 'AADSTS70011: The provided value for scope is not valid.');
  const isProven =
    'client_secret' in grant
      ? grant.client_secret === ENTRA_SECRET
      : grant.client_assertion === ENTRA_FEDERATED_TOKEN;
  if (isProven) return undefined;
  return { ...problem('invalid_client', 'AADSTS7000215: Invalid client secret provided.'), status: 401 };
}

function problem(error: string, error_description: string): EntraProblem {
  return { status: 400, error, error_description };
}

import express, { type Express, type RequestHandler, type Response } from 'express';
import { entraProblem } from './entra.ts';
import type { IssuedTokens } from './issued-tokens.ts';
import { assertionProblem, PROJECT } from './service-account.ts';

const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token';
/** The token of a known identity of another cloud. */
export const SUBJECT_TOKEN = 'simulated-subject-token';
/** Requests without this header may be forged (SSRF). */
const METADATA_HEADER = 'metadata-flavor';

/** Serves the token endpoints of Google (service accounts, identities of other clouds) and of Entra ID. */
export function serveTokens(app: Express, tokens: IssuedTokens): void {
  const endpoint = (answer: RequestHandler): RequestHandler[] => [
    express.urlencoded({ extended: false }),
    (req, res, next) => {
      tokens.asked++;
      if (tokens.next.isDown) refuse(res, 503, 'temporarily_unavailable', 'The service is not available.');
      else answer(req, res, next);
    },
  ];
  const post = (path: string, answer: RequestHandler) => app.post(path, endpoint(answer));
  post('/token', (req, res) => {
    const { assertion, grant_type } = formOf(req.body);
    if (grant_type !== JWT_GRANT)
      return refuse(res, 400, 'unsupported_grant_type', `Invalid grant_type: ${grant_type}`);
    const problem = assertionProblem(assertion ?? '', `${req.protocol}://${req.host}/token`);
    if (problem !== undefined) return refuse(res, 400, 'invalid_grant', problem);
    return void res.json(tokens.issue('google'));
  });
  post('/v1/token', (req, res) => {
    const { grant_type, subject_token } = formOf(req.body);
    if (grant_type !== EXCHANGE_GRANT || subject_token !== SUBJECT_TOKEN)
      return refuse(res, 400, 'invalid_grant', 'The subject token is not known.');
    return void res.json({ ...tokens.issue('google'), issued_token_type: ACCESS_TOKEN_TYPE });
  });
  post('/:tenant/oauth2/v2.0/token', (req, res) => {
    const problem = entraProblem(String(req.params.tenant), formOf(req.body));
    if (problem !== undefined) return refuse(res, problem.status, problem.error, problem.error_description);
    return void res.json(tokens.issue('entra'));
  });
  app.get(
    '/computeMetadata/v1/instance/service-accounts/default/token',
    endpoint((req, res) => {
      if (req.headers[METADATA_HEADER] !== 'Google') return void res.sendStatus(403);
      return void res.set(METADATA_HEADER, 'Google').json(tokens.issue('google'));
    }),
  );
  const metadata = (text: string): RequestHandler => {
    return (_req, res) => void res.set(METADATA_HEADER, 'Google').type('text').send(text);
  };
  app.get('/computeMetadata/v1/project/project-id', metadata(PROJECT));
  app.get(/^\/computeMetadata\/v1\/instance\/?$/, metadata('attributes/\n'));
}

function refuse(res: Response, status: number, error: string, error_description: string): void {
  res.status(status).json({ error, error_description });
}

function formOf(body: unknown): Record<string, string> {
  const entries = Object.entries(typeof body === 'object' && body !== null ? body : {});
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

import type { IncomingMessage } from 'node:http';
import { emailDomain } from '../config/email-domains.ts';
import { DashboardError } from '../errors/dashboard-error.ts';
import { mapSignInError } from '../errors/map-sign-in-error.ts';
import { addressNotAllowed, passwordsOff, signUpClosed, signUpRefused } from '../errors/sign-in-errors.ts';
import { parseRequest } from '../http/parse-request.ts';
import { signUpBody } from './auth-bodies.ts';
import { authRequest } from './auth-request.ts';
import { cookiesSetBy } from './send-auth-response.ts';
import type { SignInContext } from './sign-in-context.ts';
import { sendVerification } from './verify-address.ts';

/**
 * Creates a user, opens their account, and mails the link that verifies their address, if mail is configured.
 * @throws DashboardError sign_up_closed, sign_up_refused (the same for every reason), address_not_allowed,
 *   permission_denied (no passwords), invalid_request, rate_limit_exceeded, service_unavailable
 */
export async function signUp(
  context: SignInContext,
  req: IncomingMessage,
  given: unknown,
): Promise<Response> {
  const { accounts, config, log, mailer, signIn } = context;
  if (config.ssoOnly) throw passwordsOff();
  if (!config.signUpOpen) throw signUpClosed();
  const { email, name, password } = parseRequest(signUpBody, given);
  if (config.allowedEmailDomains?.includes(emailDomain(email)) === false) throw addressNotAllowed();
  const body = { email, name: name || email.slice(0, email.indexOf('@')), password };
  const response = await signIn.call(
    authRequest(config, req, { method: 'POST', path: '/sign-up/email', body }),
  );
  if (response.status >= 400) {
    const refusal = await mapSignInError(response);
    if (response.status !== 422) throw refusal;
    // Hash anyway, so that the response time does not show that the address is known.
    await signIn.hashPassword(password);
    throw signUpRefused(refusal);
  }
  const session = await signIn.session({ cookie: cookiesSetBy(response) });
  if (session === undefined) throw new Error('a sign-up has left no session');
  try {
    await accounts.of(session.user);
  } catch (error) {
    if (!(error instanceof DashboardError) || error.code !== 'service_unavailable') throw error;
    log.warn(
      { error: error.cause },
      'cannot open the account of a sign-up now; its next request tries again',
    );
  }
  if (mailer.isConfigured) {
    await sendVerification(context, session.user).catch((error: unknown) =>
      log.warn({ error }, 'cannot mail a link to confirm an address; the user can request another'),
    );
  }
  return response;
}

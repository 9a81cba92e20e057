import { addressGroup, clientIp, creditUrlOf } from '@model-gateway/service-kit';
import { INSTALLATION_ROLES } from '@model-gateway/shared/access';
import { passwordResetRequest, type SessionResponse, verifyEmailRequest } from '../../wire/session.ts';
import type { DashboardContext } from '../context.ts';
import { passwordsOff, sendsNoMail } from '../errors/sign-in-errors.ts';
import { noteAccount, requestOrigin } from '../http/observe-request.ts';
import { parseRequest } from '../http/parse-request.ts';
import { toOfferedAccount } from '../members/to-member.ts';
import { passwordResetRequestBody } from '../sign-in/auth-bodies.ts';
import type { HolderAccess, HolderAccount } from '../sign-in/holder-accounts.ts';
import type { SignedInUser } from '../sign-in/holder-session.ts';
import { requestPasswordReset } from '../sign-in/request-password-reset.ts';
import { resetPassword } from '../sign-in/reset-password.ts';
import { shownAccount } from '../sign-in/shown-account.ts';
import { sendVerification, verifyAddress } from '../sign-in/verify-address.ts';
import { viewedAccount } from '../viewing/viewed-account.ts';
import { type ApiRoute, holderRoute, publicRoute } from './api-route.ts';

export function sessionRoutes(context: DashboardContext): ApiRoute[] {
  const { accounts, config, mailer, signIn } = context;
  return [
    publicRoute('GET', '/api/session', async ({ req, res }) => {
      const session = await signIn.session(req.headers);
      for (const cookie of session?.setCookies ?? []) res.appendHeader('set-cookie', cookie);
      const access = session && (await accounts.of(session.user));
      const viewed = session && access && (await viewedAccount(context, { req, res, session, access }));
      const account = viewed ?? (session && access && shownAccount(access, session));
      if (account !== undefined) noteAccount(res, account.id);
      const response: SessionResponse = {
        user:
          session === undefined || access === undefined || account === undefined
            ? null
            : toSignedInUser(session.user, access, account, viewed),
        signUpOpen: config.signUpOpen,
        ssoOnly: config.ssoOnly,
        addressNeedsProof: config.addressNeedsProof,
        identityProviders: config.identityProviders.map(({ id, name }) => ({ id, name })),
        sendsMail: mailer.isConfigured,
        termsUrl: config.product.termsUrl ?? null,
        sellsCredit: config.creditUrl !== undefined,
        creditUrl:
          config.creditUrl === undefined || account === undefined
            ? null
            : creditUrlOf(config.creditUrl, account.id),
        hidesUpstreams: config.hidesUpstreams,
        apiBaseUrl: `${config.apiBaseUrl}/v1`,
      };
      res.json(response);
    }),

    publicRoute('POST', '/api/password-reset', async ({ req, res, body }) => {
      if (config.ssoOnly) throw passwordsOff();
      const reset = parseRequest(passwordResetRequest, body);
      const client = addressGroup(clientIp(req, config.trustProxy));
      await resetPassword(context, reset, client, requestOrigin(context, req, res));
      await context.signInReports.deliver();
      res.status(204).end();
    }),

    publicRoute('POST', '/api/password-reset/request', async ({ req, res, body }) => {
      if (config.ssoOnly) throw passwordsOff();
      const { email } = parseRequest(passwordResetRequestBody, body);
      if (!mailer.isConfigured) throw sendsNoMail();
      await requestPasswordReset(context, email, addressGroup(clientIp(req, config.trustProxy)));
      res.status(204).end();
    }),

    holderRoute(
      'sign-in',
      'POST',
      '/api/email-verification',
      async ({ res, session, body }) => {
        const { token } = parseRequest(verifyEmailRequest, body);
        await verifyAddress(context, session.user, token);
        res.status(204).end();
      },
      { worksUnverified: true },
    ),

    holderRoute(
      'sign-in',
      'POST',
      '/api/email-verification/request',
      async ({ res, session }) => {
        if (!mailer.isConfigured) throw sendsNoMail();
        if (!session.user.emailVerified) await sendVerification(context, session.user);
        res.status(204).end();
      },
      { worksUnverified: true },
    ),
  ];
}

function toSignedInUser(
  user: SignedInUser,
  { accounts, emailVerified, installationRoles, offered }: HolderAccess,
  shown: HolderAccount,
  viewed: HolderAccount | undefined,
): SessionResponse['user'] {
  const own = accounts.find(({ email }) => email === user.email);
  return {
    accountId: shown.id,
    role: shown.role,
    email: user.email,
    name: own?.name ?? user.name,
    emailVerified,
    viewing: viewed === undefined ? null : { name: viewed.name, email: viewed.email },
    accounts: accounts.map(({ id, name, email, role }) => ({ id, name, email, role })),
    offered: offered.map(toOfferedAccount),
    installationRole: INSTALLATION_ROLES.findLast((role) => installationRoles.includes(role)) ?? null,
  };
}

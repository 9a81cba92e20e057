import { type ComponentType, Suspense } from 'react';
import { Navigate, Route, Routes } from 'react-router';
import { SiteLoading } from './components/site-loading.tsx';
import { page } from './lazy-page.ts';
import { HomePage } from './pages/home-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { LeastRole } from './session/least-role.tsx';
import { SignInShell } from './shell/sign-in-shell.tsx';

const DashboardShell = page(() => import('./shell/dashboard-shell.tsx'), 'DashboardShell');
const Console = page(() => import('./console/console.tsx'), 'Console');
const PublicShell = page(() => import('./shell/public-shell.tsx'), 'PublicShell');
const SignInPage = page(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage');
const SignUpPage = page(() => import('./pages/sign-in/sign-up-page.tsx'), 'SignUpPage');
const ResetPasswordPage = page(() => import('./pages/sign-in/reset-password-page.tsx'), 'ResetPasswordPage');
const ForgotPasswordPage = page(
  () => import('./pages/sign-in/forgot-password-page.tsx'),
  'ForgotPasswordPage',
);
const VerifyEmailPage = page(() => import('./pages/sign-in/verify-email-page.tsx'), 'VerifyEmailPage');
const SignInAgainPage = page(() => import('./pages/sign-in/sign-in-again-page.tsx'), 'SignInAgainPage');
const InvitationPage = page(() => import('./pages/teams/invitation-page.tsx'), 'InvitationPage');
const KeysPage = page(() => import('./pages/keys/keys-page.tsx'), 'KeysPage');
const KeyPage = page(() => import('./pages/keys/key-page.tsx'), 'KeyPage');
const FirstRequestPage = page(
  () => import('./pages/first-request/first-request-page.tsx'),
  'FirstRequestPage',
);
const UsagePage = page(() => import('./pages/usage/usage-page.tsx'), 'UsagePage');
const ReceiptPage = page(() => import('./pages/receipt/receipt-page.tsx'), 'ReceiptPage');
const StatementsPage = page(() => import('./pages/statements/statements-page.tsx'), 'StatementsPage');
const TeamsPage = page(() => import('./pages/teams/teams-page.tsx'), 'TeamsPage');
const TeamPage = page(() => import('./pages/teams/team-page.tsx'), 'TeamPage');
const SeatPage = page(() => import('./pages/teams/seat-page.tsx'), 'SeatPage');
const ModelsPage = page(() => import('./pages/models/models-page.tsx'), 'ModelsPage');
const PlaygroundPage = page(() => import('./pages/playground/playground-page.tsx'), 'PlaygroundPage');
const StatusPage = page(() => import('./pages/status/status-page.tsx'), 'StatusPage');
const AccountPage = page(() => import('./pages/account/account-page.tsx'), 'AccountPage');
const AuditPage = page(() => import('./pages/audit/audit-page.tsx'), 'AuditPage');
const AdminKeysPage = page(() => import('./pages/admin-keys/admin-keys-page.tsx'), 'AdminKeysPage');
const MembersPage = page(() => import('./pages/members/members-page.tsx'), 'MembersPage');
const MembershipPage = page(() => import('./pages/members/membership-page.tsx'), 'MembershipPage');
const SecurityPage = page(() => import('./pages/security/security-page.tsx'), 'SecurityPage');
const EndUsersPage = page(() => import('./pages/end-users/end-users-page.tsx'), 'EndUsersPage');
const EndUserPage = page(() => import('./pages/end-users/end-user-page.tsx'), 'EndUserPage');

/** Routes every page of the site; each is a script, loaded when first opened. */
export function SiteRoutes() {
  return (
    <Routes>
      <Route index element={<HomePage />} />
      <Route element={<SignInShell />}>
        <Route path="sign-in" element={<SignInPage />} />
        <Route path="sign-up" element={<SignUpPage />} />
        <Route path="reset-password" element={<ResetPasswordPage />} />
        <Route path="forgot-password" element={<ForgotPasswordPage />} />
        <Route path="verify-email" element={<VerifyEmailPage />} />
        <Route path="sign-in-again" element={<SignInAgainPage />} />
        <Route path="membership" element={<MembershipPage />} />
        <Route path="invitation" element={<InvitationPage />} />
      </Route>
      <Route path="dashboard" element={framed(DashboardShell)}>
        <Route index element={<Navigate to="/dashboard/api-keys" replace />} />
        <Route path="api-keys" element={<KeysPage />} />
        <Route path="api-keys/:keyId" element={<KeyPage />} />
        <Route path="first-request" element={<FirstRequestPage />} />
        <Route path="usage" element={<UsagePage />} />
        <Route path="usage/requests/:requestId" element={<ReceiptPage />} />
        <Route path="teams" element={<TeamsPage />} />
        <Route path="teams/:teamId" element={<TeamPage />} />
        <Route path="teams/:teamId/seats/:seatId" element={<SeatPage />} />
        <Route path="models" element={<ModelsPage />} />
        <Route path="account" element={<AccountPage />} />
        <Route path="account/security" element={<SecurityPage />} />
        <Route element={<LeastRole least="developer" />}>
          <Route path="playground" element={<PlaygroundPage />} />
        </Route>
        <Route element={<LeastRole least="admin" />}>
          <Route path="audit" element={<AuditPage />} />
          <Route path="statements" element={<StatementsPage />} />
          <Route path="members" element={<MembersPage />} />
          <Route path="admin-keys" element={<AdminKeysPage />} />
          <Route path="account/end-users" element={<EndUsersPage />} />
          <Route path="account/end-user" element={<EndUserPage />} />
        </Route>
        <Route path="*" element={<NotFoundPage />} />
      </Route>
      <Route path="operate/*" element={framed(Console)} />
      <Route element={framed(PublicShell)}>
        <Route path="status" element={<StatusPage />} />
        <Route path="models" element={<ModelsPage />} />
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  );
}

/** Shows a frame while its script is loading, which no frame around it does. */
function framed(Frame: ComponentType) {
  return (
    <Suspense fallback={<SiteLoading />}>
      <Frame />
    </Suspense>
  );
}

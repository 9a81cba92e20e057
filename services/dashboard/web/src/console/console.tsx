import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Link, Navigate, Route, Routes } from 'react-router';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { page } from '../lazy-page.ts';
import { NotFoundPage } from '../pages/not-found-page.tsx';
import { useSession } from '../session/use-session.ts';
import { PageOutlet } from '../shell/page-outlet.tsx';
import { SignedInShell } from '../shell/signed-in-shell.tsx';
import { CONSOLE_SECTIONS, ConsoleNavigation } from './console-navigation.tsx';
import { SearchProvider } from './search/search-provider.tsx';

const OverviewPage = page(() => import('./overview/overview-page.tsx'), 'OverviewPage');
const AccountsPage = page(() => import('./accounts/accounts-page.tsx'), 'AccountsPage');
const AccountPage = page(() => import('./accounts/account-page.tsx'), 'AccountPage');
const TeamPage = page(() => import('./teams/team-page.tsx'), 'TeamPage');
const SeatPage = page(() => import('./teams/seat-page.tsx'), 'SeatPage');
const KeyPage = page(() => import('./keys/key-page.tsx'), 'KeyPage');
const EndUserPage = page(() => import('./end-users/end-user-page.tsx'), 'EndUserPage');
const InstallationAuditPage = page(() => import('../pages/audit/audit-page.tsx'), 'InstallationAuditPage');

/** Routes the pages for operators and auditors of the installation. */
export function Console() {
  return (
    <Routes>
      <Route element={<ConsoleShell />}>
        <Route index element={<Navigate to="/operate/overview" replace />} />
        <Route path="overview" element={<OverviewPage />} />
        <Route path="accounts" element={<AccountsPage />} />
        <Route path="accounts/:accountId" element={<AccountPage />} />
        <Route path="teams/:teamId" element={<TeamPage />} />
        <Route path="seats/:seatId" element={<SeatPage />} />
        <Route path="keys/:keyId" element={<KeyPage />} />
        <Route path="end-user" element={<EndUserPage />} />
        <Route path="audit" element={<InstallationAuditPage />} />
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  );
}

function ConsoleShell() {
  return (
    <SearchProvider pages={CONSOLE_SECTIONS}>
      <SignedInShell label="Console" Navigation={ConsoleNavigation}>
        <RoleGate />
      </SignedInShell>
    </SearchProvider>
  );
}

/** Shows the pages to users with a role in the installation, and tells others how they get one. */
function RoleGate() {
  const user = useSession().data?.user;
  if (user == null) return null;
  if (user.installationRole !== null) return <PageOutlet />;
  return (
    <>
      <PageHeader title="For operators only" />
      <EmptyState
        icon={<IconLock size={28} />}
        title="This page needs the role operator or auditor"
        action={
          <Button component={Link} to="/dashboard">
            My account
          </Button>
        }
      >
        Whoever runs this gateway gives you a role with: gatewayctl roles grant --email {user.email} --role
        operator
      </EmptyState>
    </>
  );
}

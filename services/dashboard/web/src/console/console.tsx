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
import { ConsoleNavigation } from './console-navigation.tsx';

const OverviewPage = page(() => import('./overview/overview-page.tsx'), 'OverviewPage');
const InstallationAuditPage = page(() => import('../pages/audit/audit-page.tsx'), 'InstallationAuditPage');

/** Routes the pages for operators and auditors of the installation. */
export function Console() {
  return (
    <Routes>
      <Route element={<ConsoleShell />}>
        <Route index element={<Navigate to="/operate/overview" replace />} />
        <Route path="overview" element={<OverviewPage />} />
        <Route path="audit" element={<InstallationAuditPage />} />
        <Route path="*" element={<NotFoundPage />} />
      </Route>
    </Routes>
  );
}

function ConsoleShell() {
  return (
    <SignedInShell label="Console" Navigation={ConsoleNavigation}>
      <RoleGate />
    </SignedInShell>
  );
}

/** Shows the pages to users with a role in the installation, and tells others how they get one. */
function RoleGate() {
  const user = useSession().data?.user;
  if (user == null) return null;
  if (user.installationRole !== null) return <PageOutlet />;
  return (
    <>
      <PageHeader title="For operators and auditors" />
      <EmptyState
        icon={<IconLock size={28} />}
        title="This page needs the role operator or auditor"
        action={
          <Button component={Link} to="/dashboard">
            My account
          </Button>
        }
      >
        Ask your operator to run: gatewayctl roles grant --email {user.email} --role operator
      </EmptyState>
    </>
  );
}

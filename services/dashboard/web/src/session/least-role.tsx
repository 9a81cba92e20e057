import { Button } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Link, Outlet } from 'react-router';
import type { AccountRole } from '../../../wire/members.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { includesRole } from './use-may.ts';
import { useSession } from './use-session.ts';

interface LeastRoleProps {
  least: AccountRole;
}

/** Shows the pages within it to whose role includes them, and tells others which role they need. */
export function LeastRole({ least }: LeastRoleProps) {
  const user = useSession().data?.user;
  if (user == null) return null;
  if (includesRole(user.role, least)) return <Outlet />;
  return (
    <>
      <PageHeader title="Not for your role" />
      <EmptyState
        icon={<IconLock size={28} />}
        title={`This page needs the role ${least}`}
        action={
          <Button component={Link} to="/dashboard/usage">
            Usage
          </Button>
        }
      >
        In this account, your role is {user.role}. Ask an owner or admin of the account for another role.
      </EmptyState>
    </>
  );
}

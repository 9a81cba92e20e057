import { ActionIcon, Group, NavLink as MantineNavLink, Text } from '@mantine/core';
import {
  IconActivity,
  IconBook2,
  IconChartBar,
  IconCode,
  IconCube,
  IconFileText,
  IconKey,
  IconListDetails,
  IconLogout,
  IconMessageCircle,
  IconTool,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react';
import { Link, NavLink } from 'react-router';
import type { AccountRole } from '../../../wire/members.ts';
import type { SessionResponse } from '../../../wire/session.ts';
import { useAction } from '../api/use-action.ts';
import { messageOf } from '../components/error-notice.tsx';
import { AccountSwitch } from '../session/account-switch.tsx';
import { docsUrl } from '../session/docs-url.ts';
import { signOut } from '../session/sign-out.ts';
import { includesRole } from '../session/use-may.ts';
import { useSession } from '../session/use-session.ts';
import classes from './shell.module.css';

const sections: Section[] = [
  { to: '/dashboard/api-keys', label: 'API keys', Icon: IconKey },
  { to: '/dashboard/first-request', label: 'First request', Icon: IconCode },
  { to: '/dashboard/usage', label: 'Usage', Icon: IconChartBar },
  { to: '/dashboard/statements', label: 'Statements', Icon: IconFileText, least: 'admin' },
  { to: '/dashboard/teams', label: 'Teams', Icon: IconUsersGroup },
  { to: '/dashboard/members', label: 'Members', Icon: IconUsers, least: 'admin' },
  { to: '/dashboard/audit', label: 'Audit log', Icon: IconListDetails, least: 'admin', isForAuditors: true },
  { to: '/dashboard/admin-keys', label: 'Admin keys', Icon: IconTool, least: 'admin' },
  { to: '/dashboard/models', label: 'Models', Icon: IconCube },
  { to: '/dashboard/playground', label: 'Playground', Icon: IconMessageCircle, least: 'developer' },
  { to: '/status', label: 'Status', Icon: IconActivity },
];

interface Section {
  to: string;
  label: string;
  Icon: typeof IconKey;
  /** The least role that may open it; left out: any. */
  least?: AccountRole;
  /** True if auditors may open it as well. */
  isForAuditors?: boolean;
}

interface MainNavigationProps {
  user: NonNullable<SessionResponse['user']>;
  /** Closes the drawer. */
  onNavigate?: () => void;
}

function mayOpen({ isAuditor, role }: MainNavigationProps['user'], section: Section): boolean {
  const { isForAuditors = false, least = 'viewer' } = section;
  return includesRole(role, least) || (isAuditor && isForAuditors);
}

/** Shows the sections of the dashboard, the user and the sign-out button. */
export function MainNavigation({ user, onNavigate }: MainNavigationProps) {
  const leave = useAction(signOut);
  const apiBaseUrl = useSession().data?.apiBaseUrl;
  return (
    <>
      <div className={classes.sections}>
        {sections
          .filter((section) => mayOpen(user, section))
          .map(({ to, label, Icon }) => (
            <MantineNavLink
              key={to}
              component={NavLink}
              to={to}
              label={label}
              leftSection={<Icon size={20} stroke={1.75} aria-hidden />}
              className={classes.navLink}
              {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
            />
          ))}
        {apiBaseUrl !== undefined && (
          <MantineNavLink
            href={docsUrl(apiBaseUrl)}
            target="_blank"
            rel="noreferrer"
            label="API reference"
            leftSection={<IconBook2 size={20} stroke={1.75} aria-hidden />}
            className={classes.navLink}
          />
        )}
      </div>
      <div className={classes.account}>
        <AccountSwitch user={user} />
        <Group gap={4} wrap="nowrap">
          <Link
            to="/dashboard/account"
            className={classes.accountLink}
            {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
          >
            <Text size="sm" fw={600} truncate>
              {user.name}
            </Text>
            <Text size="xs" c="dimmed" truncate>
              {user.email}
            </Text>
          </Link>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={40}
            aria-label="Sign out"
            title="Sign out"
            loading={leave.isPending}
            onClick={leave.run}
          >
            <IconLogout size={18} aria-hidden />
          </ActionIcon>
        </Group>
        {leave.error !== undefined && (
          <Text size="xs" c="red" role="alert" mt={4}>
            You are still signed in. {messageOf(leave.error)}
          </Text>
        )}
      </div>
    </>
  );
}

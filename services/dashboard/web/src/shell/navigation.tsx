import { ActionIcon, Group, NavLink as MantineNavLink, SegmentedControl, Text } from '@mantine/core';
import { IconBook2, type IconKey, IconLogout } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link, NavLink, useNavigate } from 'react-router';
import type { SessionResponse } from '../../../wire/session.ts';
import { useAction } from '../api/use-action.ts';
import { messageOf } from '../components/error-notice.tsx';
import { docsUrl } from '../session/docs-url.ts';
import { signOut } from '../session/sign-out.ts';
import { useSession } from '../session/use-session.ts';
import classes from './shell.module.css';

export type SessionUser = NonNullable<SessionResponse['user']>;

export interface NavigationProps {
  user: SessionUser;
  /** Closes the drawer. */
  onNavigate?: () => void;
}

export interface NavigationSection {
  to: string;
  label: string;
  Icon: typeof IconKey;
}

interface NavigationFrameProps extends NavigationProps {
  area: 'account' | 'console';
  sections: readonly NavigationSection[];
  /** Shown above the user. */
  children?: ReactNode;
}

/** Shows the sections of an area of the site, the user and the sign-out button. */
export function NavigationFrame({ area, sections, user, onNavigate, children }: NavigationFrameProps) {
  const leave = useAction(signOut);
  const apiBaseUrl = useSession().data?.apiBaseUrl;
  return (
    <>
      {user.installationRole !== null && (
        <AreaSwitch area={area} {...(onNavigate === undefined ? {} : { onNavigate })} />
      )}
      <div className={classes.sections}>
        {sections.map(({ to, label, Icon }) => (
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
        {children}
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

/** Switches between the user's accounts and the console. */
function AreaSwitch({ area, onNavigate }: Pick<NavigationFrameProps, 'area' | 'onNavigate'>) {
  const navigate = useNavigate();
  return (
    <SegmentedControl
      aria-label="Area"
      fullWidth
      mb="sm"
      value={area}
      data={[
        { value: 'account', label: 'My account' },
        { value: 'console', label: 'Operate' },
      ]}
      onChange={(next) => {
        void navigate(next === 'console' ? '/operate' : '/dashboard');
        onNavigate?.();
      }}
    />
  );
}

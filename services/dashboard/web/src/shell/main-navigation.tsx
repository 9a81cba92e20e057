import {
  IconActivity,
  IconChartBar,
  IconCode,
  IconCube,
  IconFileText,
  IconKey,
  IconListDetails,
  IconMessageCircle,
  IconTool,
  IconUsers,
  IconUsersGroup,
  IconWebhook,
} from '@tabler/icons-react';
import type { AccountRole } from '../../../wire/members.ts';
import { AccountSwitch } from '../session/account-switch.tsx';
import { includesRole } from '../session/use-may.ts';
import { NavigationFrame, type NavigationProps, type NavigationSection } from './navigation.tsx';

const sections: Section[] = [
  { to: '/dashboard/api-keys', label: 'API keys', Icon: IconKey },
  { to: '/dashboard/first-request', label: 'First request', Icon: IconCode },
  { to: '/dashboard/usage', label: 'Usage', Icon: IconChartBar },
  { to: '/dashboard/statements', label: 'Statements', Icon: IconFileText, least: 'admin' },
  { to: '/dashboard/teams', label: 'Teams', Icon: IconUsersGroup },
  { to: '/dashboard/members', label: 'Members', Icon: IconUsers, least: 'admin' },
  { to: '/dashboard/audit', label: 'Audit log', Icon: IconListDetails, least: 'admin' },
  { to: '/dashboard/admin-keys', label: 'Admin keys', Icon: IconTool, least: 'admin' },
  { to: '/dashboard/webhooks', label: 'Webhooks', Icon: IconWebhook, least: 'admin' },
  { to: '/dashboard/models', label: 'Models', Icon: IconCube },
  { to: '/dashboard/playground', label: 'Playground', Icon: IconMessageCircle, least: 'developer' },
  { to: '/status', label: 'Status', Icon: IconActivity },
];

/** Pages that are of no use to somebody who may change nothing. */
const CHANGES_ONLY = ['/dashboard/first-request', '/dashboard/playground'];

interface Section extends NavigationSection {
  /** The least role that may open it; left out: any. */
  least?: AccountRole;
}

/** Shows the sections of an account for the user's role in it, and the user's accounts. */
export function MainNavigation(props: NavigationProps) {
  const { user } = props;
  const isHidden = ({ to }: Section) => user.viewing !== null && CHANGES_ONLY.includes(to);
  const open = sections.filter((each) => includesRole(user.role, each.least ?? 'viewer') && !isHidden(each));
  return (
    <NavigationFrame {...props} area="account" sections={open}>
      {user.viewing === null && <AccountSwitch user={user} />}
    </NavigationFrame>
  );
}

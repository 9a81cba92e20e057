import {
  IconArrowsExchange,
  IconGauge,
  IconListDetails,
  IconMessageCircle,
  IconServer,
  IconWebhook,
} from '@tabler/icons-react';
import { NavigationFrame, type NavigationProps, type NavigationSection } from '../shell/navigation.tsx';

const sections: readonly NavigationSection[] = [
  { to: '/operate/overview', label: 'Overview', Icon: IconGauge },
  { to: '/operate/requests', label: 'Requests', Icon: IconArrowsExchange },
  { to: '/operate/fleet', label: 'Fleet', Icon: IconServer },
  { to: '/operate/webhooks', label: 'Webhooks', Icon: IconWebhook },
  { to: '/operate/audit', label: 'Audit log', Icon: IconListDetails },
  { to: '/operate/playground', label: 'Playground', Icon: IconMessageCircle },
];

/** Shows the sections of the console. */
export function ConsoleNavigation(props: NavigationProps) {
  return <NavigationFrame {...props} area="console" sections={sections} />;
}

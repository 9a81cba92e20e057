import {
  IconArrowsExchange,
  IconBox,
  IconGauge,
  IconListDetails,
  IconMessageCircle,
  IconPlugConnected,
  IconReceipt,
  IconServer,
  IconTags,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';
import { NavigationFrame, type NavigationProps, type NavigationSection } from '../shell/navigation.tsx';
import { SearchButton } from './search/search-provider.tsx';

/** Sections of the console, in the order of the navigation. */
export const CONSOLE_SECTIONS: readonly NavigationSection[] = [
  { to: '/operate/overview', label: 'Overview', Icon: IconGauge },
  { to: '/operate/accounts', label: 'Accounts', Icon: IconUsers },
  { to: '/operate/requests', label: 'Requests', Icon: IconArrowsExchange },
  { to: '/operate/providers', label: 'Providers', Icon: IconPlugConnected },
  { to: '/operate/models', label: 'Models', Icon: IconBox },
  { to: '/operate/catalog', label: 'Catalog', Icon: IconTags },
  { to: '/operate/price-lists', label: 'Price lists', Icon: IconReceipt },
  { to: '/operate/fleet', label: 'Fleet', Icon: IconServer },
  { to: '/operate/webhooks', label: 'Webhooks', Icon: IconWebhook },
  { to: '/operate/audit', label: 'Audit log', Icon: IconListDetails },
  { to: '/operate/playground', label: 'Playground', Icon: IconMessageCircle },
];

/** Shows the sections of the console. */
export function ConsoleNavigation(props: NavigationProps) {
  return (
    <>
      <SearchButton onOpen={props.onNavigate} />
      <NavigationFrame {...props} area="console" sections={CONSOLE_SECTIONS} />
    </>
  );
}

import { IconGauge, IconListDetails, IconUsers } from '@tabler/icons-react';
import { NavigationFrame, type NavigationProps, type NavigationSection } from '../shell/navigation.tsx';
import { SearchButton } from './search/search-provider.tsx';

/** Sections of the console, in the order of the navigation. */
export const CONSOLE_SECTIONS: readonly NavigationSection[] = [
  { to: '/operate/overview', label: 'Overview', Icon: IconGauge },
  { to: '/operate/accounts', label: 'Accounts', Icon: IconUsers },
  { to: '/operate/audit', label: 'Audit log', Icon: IconListDetails },
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
